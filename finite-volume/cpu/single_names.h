/* The files of this folder that compute on a level's vectors are compiled a second time for levels in
 * single precision, where what they define has other names. A name that is missing here is defined
 * twice, which the linker reports. */
#ifndef HYMGI_CPU_SINGLE_NAMES_H
#define HYMGI_CPU_SINGLE_NAMES_H

#define hymgi_cpu_add_boundary_terms        hymgi_cpu_add_boundary_terms_single
#define hymgi_cpu_add_row                   hymgi_cpu_add_row_single
#define hymgi_cpu_advance                   hymgi_cpu_advance_single
#define hymgi_cpu_apply                     hymgi_cpu_apply_single
#define hymgi_cpu_apply_sum                 hymgi_cpu_apply_sum_single
#define hymgi_cpu_axpby                     hymgi_cpu_axpby_single
#define hymgi_cpu_begin_halo                hymgi_cpu_begin_halo_single
#define hymgi_cpu_boundary_term             hymgi_cpu_boundary_term_single
#define hymgi_cpu_clear                     hymgi_cpu_clear_single
#define hymgi_cpu_clear_black               hymgi_cpu_clear_black_single
#define hymgi_cpu_constant_rows             hymgi_cpu_constant_rows_single
#define hymgi_cpu_copy_local                hymgi_cpu_copy_local_single
#define hymgi_cpu_fill                      hymgi_cpu_fill_single
#define hymgi_cpu_fill_end_ghosts           hymgi_cpu_fill_end_ghosts_single
#define hymgi_cpu_fill_ghosts               hymgi_cpu_fill_ghosts_single
#define hymgi_cpu_fill_row_ghosts           hymgi_cpu_fill_row_ghosts_single
#define hymgi_cpu_fill_stencil_ghosts       hymgi_cpu_fill_stencil_ghosts_single
#define hymgi_cpu_interpolate               hymgi_cpu_interpolate_single
#define hymgi_cpu_interpolate_later         hymgi_cpu_interpolate_later_single
#define hymgi_cpu_interpolate_rows          hymgi_cpu_interpolate_rows_single
#define hymgi_cpu_interpolate_tensor        hymgi_cpu_interpolate_tensor_single
#define hymgi_cpu_interpolate_uneven        hymgi_cpu_interpolate_uneven_single
#define hymgi_cpu_interpolate_weighted      hymgi_cpu_interpolate_weighted_single
#define hymgi_cpu_interpolate_weighted_rows hymgi_cpu_interpolate_weighted_rows_single
#define hymgi_cpu_max                       hymgi_cpu_max_single
#define hymgi_cpu_next                      hymgi_cpu_next_single
#define hymgi_cpu_next_plane                hymgi_cpu_next_plane_single
#define hymgi_cpu_pack                      hymgi_cpu_pack_single
#define hymgi_cpu_plain_row                 hymgi_cpu_plain_row_single
#define hymgi_cpu_precondition              hymgi_cpu_precondition_single
#define hymgi_cpu_relaxation                hymgi_cpu_relaxation_single
#define hymgi_cpu_residual                  hymgi_cpu_residual_single
#define hymgi_cpu_residual_max              hymgi_cpu_residual_max_single
#define hymgi_cpu_residual_red              hymgi_cpu_residual_red_single
#define hymgi_cpu_residual_restrict         hymgi_cpu_residual_restrict_single
#define hymgi_cpu_restrict_cells            hymgi_cpu_restrict_cells_single
#define hymgi_cpu_restrict_faces            hymgi_cpu_restrict_faces_single
#define hymgi_cpu_restrict_max              hymgi_cpu_restrict_max_single
#define hymgi_cpu_restrict_residual_row     hymgi_cpu_restrict_residual_row_single
#define hymgi_cpu_restrict_tensor           hymgi_cpu_restrict_tensor_single
#define hymgi_cpu_restrict_weighted         hymgi_cpu_restrict_weighted_single
#define hymgi_cpu_restrict_weighted_row     hymgi_cpu_restrict_weighted_row_single
#define hymgi_cpu_robust_interpolate_smooth hymgi_cpu_robust_interpolate_smooth_single
#define hymgi_cpu_robust_smooth_restrict    hymgi_cpu_robust_smooth_restrict_single
#define hymgi_cpu_rows                      hymgi_cpu_rows_single
#define hymgi_cpu_rows_of_plane             hymgi_cpu_rows_of_plane_single
#define hymgi_cpu_run_slots                 hymgi_cpu_run_slots_single
#define hymgi_cpu_scratch_doubles           hymgi_cpu_scratch_doubles_single
#define hymgi_cpu_shift                     hymgi_cpu_shift_single
#define hymgi_cpu_smooth                    hymgi_cpu_smooth_single
#define hymgi_cpu_smooth_norm               hymgi_cpu_smooth_norm_single
#define hymgi_cpu_smooth_restrict           hymgi_cpu_smooth_restrict_single
#define hymgi_cpu_starts_black              hymgi_cpu_starts_black_single
#define hymgi_cpu_store_row                 hymgi_cpu_store_row_single
#define hymgi_cpu_sum                       hymgi_cpu_sum_single
#define hymgi_cpu_sum_children              hymgi_cpu_sum_children_single
#define hymgi_cpu_sum_row                   hymgi_cpu_sum_row_single
#define hymgi_cpu_sweep_shell               hymgi_cpu_sweep_shell_single
#define hymgi_cpu_symgs                     hymgi_cpu_symgs_single
#define hymgi_cpu_tune                      hymgi_cpu_tune_single
#define hymgi_cpu_unpack                    hymgi_cpu_unpack_single
#define hymgi_cpu_update_ghosts             hymgi_cpu_update_ghosts_single
#define hymgi_cpu_wave_applies              hymgi_cpu_wave_applies_single
#define hymgi_cpu_wave_possible             hymgi_cpu_wave_possible_single
#define hymgi_cpu_wave_run                  hymgi_cpu_wave_run_single
#define hymgi_cpu_wave_smooth               hymgi_cpu_wave_smooth_single
#define hymgi_cpu_wave_stages               hymgi_cpu_wave_stages_single
#define hymgi_fv2_row_of                    hymgi_fv2_row_of_single
#define hymgi_fv2_rows                      hymgi_fv2_rows_single
#define hymgi_fv2_run                       hymgi_fv2_run_single
#define hymgi_fv2_slots                     hymgi_fv2_slots_single
#define hymgi_fv4_add_alpha                 hymgi_fv4_add_alpha_single
#define hymgi_fv4_coefficient               hymgi_fv4_coefficient_single
#define hymgi_fv4_limited                   hymgi_fv4_limited_single
#define hymgi_fv4_row_of                    hymgi_fv4_row_of_single
#define hymgi_fv4_row_sums                  hymgi_fv4_row_sums_single
#define hymgi_fv4_rows                      hymgi_fv4_rows_single
#define hymgi_fv4_run                       hymgi_fv4_run_single
#define hymgi_fv4_walls                     hymgi_fv4_walls_single

#endif

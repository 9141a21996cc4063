/* Included first where a unit is compiled in single precision (base/real.h): its functions get names
 * of their own. A function that is missing here is defined twice when the library is linked. */
#ifndef HYMGI_SINGLE_NAMES_H
#define HYMGI_SINGLE_NAMES_H

/* kernels/kernels.h */
#define hymgi_cuda_sweep_generic        hymgi_single_sweep_generic
#define hymgi_cuda_fv2_march            hymgi_single_fv2_march
#define hymgi_cuda_fv2_point            hymgi_single_fv2_point
#define hymgi_cuda_fv2_both_colours     hymgi_single_fv2_both_colours
#define hymgi_cuda_fv2_gsrb_fused       hymgi_single_fv2_gsrb_fused
#define hymgi_cuda_fv2_gsrb_tile        hymgi_single_fv2_gsrb_tile
#define hymgi_cuda_could_fuse_relax     hymgi_single_could_fuse_relax
#define hymgi_cuda_relax_fused          hymgi_single_relax_fused
#define hymgi_cuda_fv4_gsrb_march       hymgi_single_fv4_gsrb_march
#define hymgi_cuda_fv4_march_memory     hymgi_single_fv4_march_memory
#define hymgi_cuda_fv4_march_tma        hymgi_single_fv4_march_tma
#define hymgi_cuda_fv4_fits_tma         hymgi_single_fv4_fits_tma
#define hymgi_cuda_fv4_fits_shared      hymgi_single_fv4_fits_shared
#define hymgi_cuda_fv4_gsrb_shared      hymgi_single_fv4_gsrb_shared
#define hymgi_cuda_fv4_gsrb_tile        hymgi_single_fv4_gsrb_tile
#define hymgi_cuda_fv4_tile             hymgi_single_fv4_tile
#define hymgi_cuda_fv4_fits_tiles       hymgi_single_fv4_fits_tiles
#define hymgi_cuda_fv2_restrict         hymgi_single_fv2_restrict
#define hymgi_cuda_fv4_restrict         hymgi_single_fv4_restrict
#define hymgi_cuda_restrict_cells       hymgi_single_restrict_cells
#define hymgi_cuda_interpolate          hymgi_single_interpolate
#define hymgi_cuda_fill_ghosts          hymgi_single_fill_ghosts
#define hymgi_cuda_fill_operator_ghosts hymgi_single_fill_operator_ghosts
#define hymgi_cuda_local                hymgi_single_local
#define hymgi_cuda_pack                 hymgi_single_pack
#define hymgi_cuda_unpack               hymgi_single_unpack
#define hymgi_cuda_brick                hymgi_single_brick
#define hymgi_cuda_gather               hymgi_single_gather
#define hymgi_cuda_clear                hymgi_single_clear
#define hymgi_cuda_fill                 hymgi_single_fill
#define hymgi_cuda_copy_cells           hymgi_single_copy_cells

/* kernels/robust/robust.h */
#define hymgi_cuda_restrict_weighted    hymgi_single_restrict_weighted
#define hymgi_cuda_interpolate_weighted hymgi_single_interpolate_weighted
#define hymgi_cuda_sum_children         hymgi_single_sum_children
#define hymgi_cuda_interpolate_uneven   hymgi_single_interpolate_uneven
#define hymgi_cuda_restrict_tensor      hymgi_single_restrict_tensor
#define hymgi_cuda_interpolate_tensor   hymgi_single_interpolate_tensor

/* exchange/exchange.h */
#define hymgi_peer_move                    hymgi_single_peer_move
#define hymgi_cuda_fv2_could_fuse_exchange hymgi_single_fv2_could_fuse_exchange
#define hymgi_cuda_fv4_could_halve         hymgi_single_fv4_could_halve
#define hymgi_cuda_fv2_gsrb_peer           hymgi_single_fv2_gsrb_peer
#define hymgi_cuda_fv2_gsrb_fused_peer     hymgi_single_fv2_gsrb_fused_peer
#define hymgi_cuda_fv2_gsrb_faces          hymgi_single_fv2_gsrb_faces
#define hymgi_cuda_fv4_halo_exchange       hymgi_single_fv4_halo_exchange
#define hymgi_cuda_could_overlap           hymgi_single_could_overlap
#define hymgi_cuda_make_parts              hymgi_single_make_parts
#define hymgi_cuda_overlapped              hymgi_single_overlapped

/* level_ops.h */
#define hymgi_fill_level_kernels     hymgi_single_fill_level_kernels
#define hymgi_free_level_kernels     hymgi_single_free_level_kernels
#define hymgi_cuda_splits            hymgi_single_splits
#define hymgi_cuda_second_buffer     hymgi_single_second_buffer
#define hymgi_cuda_spare_buffers     hymgi_single_spare_buffers
#define hymgi_cuda_joins             hymgi_single_joins
#define hymgi_cuda_starts_alone      hymgi_single_starts_alone
#define hymgi_cuda_residual          hymgi_single_residual
#define hymgi_cuda_smooth            hymgi_single_smooth
#define hymgi_cuda_smooth_restrict   hymgi_single_smooth_restrict
#define hymgi_cuda_residual_restrict hymgi_single_residual_restrict
#define hymgi_cuda_smooth_from_zero  hymgi_single_smooth_from_zero
#define hymgi_cuda_starts_unread     hymgi_single_starts_unread
#define hymgi_cuda_residual_red      hymgi_single_residual_red
#define hymgi_cuda_kernel_names      hymgi_single_kernel_names

#endif

/* The named problems: sizes and shapes, jumps, random and anisotropic coefficients; sources. A name sets
 * keys; 64^3 cells of the unit cube with a smooth beta between Dirichlet walls is the default. */
#include "robust/hymg-robust.h"

#include <string.h>

#define FLAT  " --boundary d,d,d,d,n,n"
#define PLANE "--grid 250,250,1" FLAT

/* In one group, masks: faces of beta 0. f = 1 plus noise, u = 0 on one wall or nowhere; FLUX: u = 1 at the bottom, 0 at
 * the top. */
#define BODY "--coefficients constant --boundary n,n,n,n,n,d"
#define SHUT "--coefficients constant --boundary n"
#define FLUX "--coefficients constant --boundary n,n,n,n,d,d --low-value 1 --rhs zero"

/* In one group, sources: few cells with f or alpha. */
#define POINT "--coefficients constant --extrapolation quadratic --rhs point"
#define PINNED                                                                                     \
  "--grid 40,40,1 --spacing 1,1,1 --coefficients constant --boundary n --hold 10 --rhs one"
#define SINK                                                                                       \
  "--grid 48,48,24 --spacing 1,1,1 --coefficients gyroid --ratio 1e-12 --boundary n --rhs point "  \
  "--alpha-in sink"
#define PONDS                                                                                      \
  "--grid 192,192,1 --spacing 1,1,1 --coefficients ponds --ratio 1e-12 --boundary n --rhs active " \
  "--alpha-in active"

const robust_name robust_names[] = {
    {"smooth64", "--grid 64,64,64"},
    {"smooth127", "--grid 127,127,127"},
    {"const100", "--grid 100,100,100 --coefficients constant"},
    {"125", "--grid 125,125,125"},
    {"90x60x48", "--grid 90,60,48"},
    {"96x96x10", "--grid 96,96,10"},
    {"256x256x1", "--grid 256,256,1" FLAT},
    {"1000x8x8u", "--grid 1000,8,8"},
    {"1000x8x8c", "--grid 1000,8,8 --spacing 1,1,1"},
    {"64x64x16u", "--grid 64,64,16"},
    {"per65", "--grid 65,48,33 --boundary p"},
    {"neu63", "--grid 63,63,1 --boundary n"},
    {"mix", "--boundary n,d,p,p,n,d"},
    {"helm", "--alpha 1000"},
    {"helmball", "--coefficients ball --ratio 1e3 --alpha 10 --boundary n"},
    {"ball_10", "--coefficients ball --ratio 10"},
    {"ball_1e3", "--coefficients ball --ratio 1e3"},
    {"ball_1e6", "--coefficients ball --ratio 1e6"},
    {"ball_1e-3", "--coefficients ball --ratio 1e-3"},
    {"ball_1e-6", "--coefficients ball --ratio 1e-6"},
    {"balls63n_1e3", "--grid 63,63,63 --coefficients balls --ratio 1e3 --boundary n"},
    {"check_1e3", "--coefficients checker --ratio 1e3"},
    {"check100_1e3", "--grid 100,100,100 --coefficients checker --blk 7 --ratio 1e3"},
    {"layz_1e3", "--coefficients layers --ratio 1e3"},
    {"rlay_1e3", "--coefficients rlayers --ratio 1e3"},
    {"slay_1e3", "--grid 60,60,60 --coefficients slayers --ratio 1e3"},
    {"thin_1e3", "--coefficients thin --ratio 1e3"},
    {"wires_1e3", "--coefficients wires --ratio 1e3"},
    {"cells_1e3", "--coefficients cells --ratio 1e3"},
    {"balls63n_1e6", "--grid 63,63,63 --coefficients balls --ratio 1e6 --boundary n"},
    {"check_1e6", "--coefficients checker --ratio 1e6"},
    {"check100_1e6", "--grid 100,100,100 --coefficients checker --blk 7 --ratio 1e6"},
    {"layz_1e6", "--coefficients layers --ratio 1e6"},
    {"rlay_1e6", "--coefficients rlayers --ratio 1e6"},
    {"slay_1e6", "--grid 60,60,60 --coefficients slayers --ratio 1e6"},
    {"thin_1e6", "--coefficients thin --ratio 1e6"},
    {"wires_1e6", "--coefficients wires --ratio 1e6"},
    {"cells_1e6", "--coefficients cells --ratio 1e6"},
    {"thin_1e-3", "--coefficients thin --ratio 1e-3"},
    {"thin_1e-6", "--coefficients thin --ratio 1e-6"},
    {"thin100n_1e-6", "--grid 100,100,50 --coefficients thin --ratio 1e-6 --boundary n"},
    {"slayn_1e-6", "--coefficients slayers --ratio 1e-6 --boundary n"},
    {"thin2d_1e6", PLANE " --coefficients thin --ratio 1e6"},
    {"thin2d_1e-6", PLANE " --coefficients thin --ratio 1e-6"},
    {"logn_1", "--coefficients logn --ratio 1"},
    {"logn_2", "--coefficients logn --ratio 2"},
    {"logn_3", "--coefficients logn --ratio 3"},
    {"logn2d_3", PLANE " --coefficients logn --ratio 3"},
    {"check2d_1e6", PLANE " --coefficients checker --blk 10 --ratio 1e6"},
    {"an_2", "--spacing 1,1,2"},
    {"anf_2", "--spacing 2,2,1"},
    {"an_3", "--spacing 1,1,3"},
    {"anf_3", "--spacing 3,3,1"},
    {"an_10", "--spacing 1,1,10"},
    {"anf_10", "--spacing 10,10,1"},
    {"an_100", "--spacing 1,1,100"},
    {"anf_100", "--spacing 100,100,1"},
    {"an_1000", "--spacing 1,1,1000"},
    {"anf_1000", "--spacing 1000,1000,1"},
    {"an3_100", "--spacing 1,10,100"},
    {"an_2neu", "--grid 250,250,1 --spacing 1,2,1 --boundary n"},
    {"tanh_1.1", "--stretch 1.1"},
    {"tanhn_1.1", "--stretch 1.1 --boundary p,p,p,p,d,d"},
    {"tanh_1.3", "--stretch 1.3"},
    {"tanhn_1.3", "--stretch 1.3 --boundary p,p,p,p,d,d"},
    {"tanh_xyz", "--stretch 1.2 --stretched xyz"},
    {"tanh_cross", "--stretch 1.2 --largest 10"},
    {"an10ball", "--spacing 1,1,10 --coefficients ball --ratio 1e3"},
    {"an10bf", "--spacing 10,10,1 --coefficients ball --ratio 1e3"},
    {"tanhball", "--stretch 1.2 --coefficients ball --ratio 1e3"},
    {"anchk", "--spacing 1,1,10 --coefficients checker --ratio 1e3"},
    {"rot2_10", "--coefficients rot2 --ratio 10"},
    {"rot2_1e3", "--coefficients rot2 --ratio 1e3"},
    {"rot2d_1e3", "--grid 128,128,1 --coefficients rot2 --ratio 1e3" FLAT},
    {"rot3_100", "--coefficients rot3 --ratio 100"},
    {"point2d", POINT " --grid 100,100,1" FLAT},
    {"point3d", POINT " --grid 40,50,70"},
    {"pin_1e4", PINNED " --alpha-in cell --alpha 1e4"},
    {"pin_1e12", PINNED " --alpha-in cell --alpha 1e12"},
    {"pins_1e8", PINNED " --alpha-in cells --alpha 1e8"},
    {"pinplane_1e12", PINNED " --alpha-in plane --alpha 1e12"},
    {"sink_1", SINK " --alpha 1"},
    {"sink_1e-4", SINK " --alpha 1e-4"},
    {"ponds_1e-3", PONDS " --alpha 1e-3"},
    {"ponds_1e-6", PONDS " --alpha 1e-6"},
    {"sphere", BODY " --mask sphere"},
    {"sphere63", SHUT " --mask sphere --grid 63,57,65"},
    {"sphere2d", "--coefficients constant --boundary n,n,n,d,n,n --mask sphere --grid 256,256,1"},
    {"spheres4", BODY " --mask lattice --blk 4 --radius 0.45"},
    {"overlap", FLUX " --mask lattice --blk 4 --radius 0.55"},
    {"ocean", SHUT " --mask ocean --grid 64,64,32 --stretch 1.2"},
    {"ocean100", SHUT " --mask ocean --grid 100,80,30 --spacing 1,1,1"},
    {"pores_0.6", FLUX " --mask spheres --porosity 0.6"},
    {"pores_0.4", FLUX " --mask spheres --porosity 0.4"},
    {"pores_0.3", FLUX " --mask spheres --porosity 0.3"},
    {"pores_0.2", FLUX " --mask spheres --porosity 0.2"},
    {"pores63_0.3", FLUX " --mask spheres --porosity 0.3 --radius 3 --grid 63,63,63"},
    {"grains_0.6", FLUX " --mask grains --porosity 0.6"},
    {"grains_0.4", FLUX " --mask grains --porosity 0.4"},
    {"grains_0.3", FLUX " --mask grains --porosity 0.3"},
    {"blobs_0.5", FLUX " --mask blobs --porosity 0.5"},
    {"blobs_0.3", FLUX " --mask blobs --porosity 0.3"},
    {"open_0.6", FLUX " --mask cells --porosity 0.6 --grid 48,48,48"},
    {"open_0.4", FLUX " --mask cells --porosity 0.4 --grid 48,48,48"},
    {"serpentine", SHUT " --mask serpentine --blk 32 --grid 63,64,64"},
    {"rooms", SHUT " --mask rooms"},
    {"pockets", SHUT " --mask pockets"},
    {"corners", SHUT " --mask corners --blk 4"},
    {"corners1", SHUT " --mask corners --blk 1 --alpha 1"},
    {"maze63_10", SHUT " --mask maze --loops 0.1 --grid 63,63,63"},
    {"cut", "--coefficients constant --cut sphere"},
    {"cutheld", "--coefficients constant --cut held"},
};
const int robust_num_names = sizeof robust_names / sizeof *robust_names;
const int robust_num_all = 75, robust_first_mask = 85;

const robust_name *robust_find(const robust_options *o, const char *name)
{
  for (int n = 0; n < robust_num_names; n++)
    if (strcmp(robust_names[n].name, name) == 0) return robust_names + n;
  options_refuse(&o->line, "'%s': no problem has this name; --list prints the %d names", name,
                 robust_num_names);
  return NULL;
}

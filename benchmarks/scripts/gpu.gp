# gnuplot gpu.gp in the folder of gpu-*.csv: gpu-threshold.svg, gpu-cycle.svg and gpu-ladder.svg,
# each if its table is there
set datafile separator ","
set datafile missing "nan"
set terminal svg size 1000,500 dynamic
there(file) = int(system("test -f " . file . " && echo 1 || echo 0"))
rows(file, test) = sprintf("< awk -F, '%s' %s", test, file)
of(op) = rows("gpu-cycle.csv", "$1 == \"" . op . "\"")
step(op, n) = rows("gpu-ladder.csv", "$2 == \"" . op . "\" && $4 == " . n)
sides = "64 128 256 512"

if (there("gpu-threshold.csv")) {
  set output "gpu-threshold.svg"
  set multiplot layout 1,2 title "A V-cycle from a level down, and its transfers"
  set logscale x 2
  set logscale y 10
  set xtics (4, 8, 16, 32, 64)
  set xrange [3.5:73]
  set xlabel "cells per side of the level"
  set ylabel "microseconds"
  set key top left reverse Left samplen 2
  do for [op in "fv2 fv4"] {
    set title op
    data = rows("gpu-threshold.csv", "$1 == \"" . op . "\"")
    plot data using 3:4 with linespoints lw 2 title "GPU by kernels", \
         data using 3:5 with linespoints lw 2 title "GPU in one launch", \
         data using 3:6 with linespoints lw 2 title "host, way there and back included"
  }
  unset multiplot
}

if (there("gpu-cycle.csv")) {
  set output "gpu-cycle.svg"
  set title "One F-cycle, gsrb, variable beta"
  set logscale x 2
  set logscale y 10
  set xtics (64, 128, 256, 512)
  set xrange [56:585]
  set xlabel "cells per side"
  set ylabel "DOF/s"
  set key bottom right Left
  plot for [op in "fv2 fv4"] of(op) using 3:5 with linespoints lw 2 title op, \
       for [op in "fv2 fv4"] of(op) using 3:8 with points pt 6 ps 1.5 title op . ", goal", \
       for [op in "fv2 fv4"] of(op) using 3:6 with lines dt 2 title op . ", port of HPGMG-FV"
}

if (there("gpu-ladder.csv")) {
  set output "gpu-ladder.svg"
  unset logscale
  unset xlabel
  set xrange [*:*]
  set multiplot layout 1,2 title "One F-cycle, gsrb: what each step brings"
  set ylabel "DOF/s"
  set yrange [0:*]
  set rmargin 12
  set style data histograms
  set style fill solid 0.8
  set key top left
  set xtics autofreq rotate by -35 scale 0
  do for [op in "fv2 fv4"] {
    set title op
    plot for [n in sides] step(op, n) using 11:xtic(1) title n . "^3"
  }
  unset multiplot
}

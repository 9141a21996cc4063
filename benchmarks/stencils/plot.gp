# gnuplot -e "table='stencils.csv'" plot.gp: from a table of `hymg-stencil all --csv` the plots case-a, case-b, case-c and
# case-d, and scaling if scaling.csv is beside it; each as SVG and PNG
if (!exists("table")) table = "stencils.csv"
if (!exists("scaling")) scaling = "scaling.csv"
set datafile separator ","
# columns: 3 kernel, 4 ranks, 5 nx, 8 precision, 9 order, 10 form, 11 slab, 13 Gpoints/s, 14 GB/s, 15 percent
rows(test) = sprintf("< awk -F, '/^[abcd],/ && (%s)' %s", test, table)
any(test) = int(system(sprintf("awk -F, '/^[abcd],/ && (%s)' %s | wc -l", test, table)))
there(file) = int(system("test -f " . file . " && echo 1 || echo 0"))
# the size of a case that has most rows in double, else the first one's; its kernels in the order of the table
largest(c) = system(sprintf("awk -F, '$1 == \"%s\" { if (!f) f = $5; if ($8 == \"double\" && ++n[$5] > m) { m = n[$5]; b = $5 } } END { print b ? b : f }' %s", c, table))
kernels(c) = system(sprintf("awk -F, '$1 == \"%s\" && $5 == %s && !seen[$3]++ { gsub(\" \", \"_\", $3); print $3 }' %s", c, largest(c), table))
plain(k) = system("echo '" . k . "' | tr _ ' '")
of(c, k, p) = sprintf("$1 == \"%s\" && $3 == \"%s\" && $5 == %s && $8 == \"%s\"", c, plain(k), largest(c), p)

svg(name) = "set terminal svg size 1100,500 dynamic; set output '" . name . ".svg'"
png(name) = "set terminal pngcairo size 1100,500; set output '" . name . ".png'"
set style data linespoints
set grid ytics
set yrange [0:*]
set key outside right top Left reverse samplen 2

do for [format in "svg png"] {
  # ---- cases a and b: Gpoints/s by order and kernel ----
  do for [c in "a b"] {
    if (any(sprintf("$1 == \"%s\"", c))) {
      eval(format eq "svg" ? svg("case-" . c) : png("case-" . c))
      set multiplot layout 1,2 title sprintf("Case %s, %s points a side", c, largest(c))
      set xlabel "order"
      set ylabel "Gpoints/s"
      set xtics 2
      do for [p in "float double"] {
        set title p
        if (any(sprintf("$1 == \"%s\" && $5 == %s && $8 == \"%s\"", c, largest(c), p))) {
          plot for [k in kernels(c)] rows(of(c, k, p) . " && $10 == \"stencil\"") using 9:13 lw 2 title plain(k)
        }
      }
      unset multiplot
      unset output
    }
  }
  # ---- case c: share of the copy by axis and kernel ----
  if (any("$1 == \"c\"")) {
    eval(format eq "svg" ? svg("case-c") : png("case-c"))
    set title sprintf("Case c, %s points a side: share of the copy", largest("c"))
    set xlabel ""
    set ylabel "%"
    set xtics autofreq rotate by -30
    set boxwidth 0.8
    set style fill solid 0.7
    plot rows(sprintf("$1 == \"c\" && $5 == %s && $8 == \"float\"", largest("c"))) using 0:15:xtic(3) with boxes title "float"
    unset output
    set xtics norotate
  }
  # ---- case d: bandwidth against the slab of the window ----
  if (any("$1 == \"d\" && $3 ~ /window/")) {
    eval(format eq "svg" ? svg("case-d") : png("case-d"))
    set title sprintf("Case d, %s points a side: the window of registers", largest("d"))
    set xlabel "n_w, points that a thread marches"
    set ylabel "GB/s, in and out once"
    set logscale x 2
    set xtics autofreq
    plot for [axis in "y z"] for [p in "float double"] \
      rows(sprintf("$1 == \"d\" && $3 ~ /^%s window/ && $8 == \"%s\"", axis, p)) using 11:14 lw 2 title axis . " " . p
    unset logscale x
    unset output
  }
  # ---- several GPUs ----
  if (there(scaling)) {
    eval(format eq "svg" ? svg("scaling") : png("scaling"))
    set title "Case a, wave step of order 8, the same box on every GPU"
    set xlabel "GPUs"
    set ylabel "Gpoints/s"
    set xtics 1
    plot for [k in "no_messages messages_after_the_step messages_overlapped"] \
      sprintf("< awk -F, '$3 == \"%s\"' %s", plain(k), scaling) using 4:13 lw 2 title plain(k)
    unset output
  }
}

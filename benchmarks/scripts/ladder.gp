# gnuplot ladder.gp in the folder of ladder.csv: DOF/s of the F-cycle by step, ladder.svg
set datafile separator ","
set terminal svg size 1000,600 dynamic
set output "ladder.svg"
set title "One F-cycle, gsrb: what each step brings"
set ylabel "DOF/s"
set yrange [0:*]
set style data histograms
set style fill solid 0.8
set key top left
set xtics rotate by -35 scale 0
# the first size's rows; the steps have the same order for every operator and size
pick(op, n) = sprintf("< awk -F, '$2 == \"%s\" && $4 == %d' ladder.csv", op, n)
plot pick("fv2", 128) using 11:xtic(1) title "fv2 128^3", pick("fv2", 256) using 11 title "fv2 256^3", \
     pick("fv4", 128) using 11 title "fv4 128^3", pick("fv4", 256) using 11 title "fv4 256^3"

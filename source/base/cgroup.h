/* The processor time that a control group of Linux allows: containers and batch systems set it. */
#ifndef HYMGI_BASE_CGROUP_H
#define HYMGI_BASE_CGROUP_H

/* Cores that this process may use on average, rounded to the nearest whole number, at least 1; INT_MAX: no limit is
 * set, or none can be read. `root` comes before the paths /proc and /sys; "" but in tests. */
int hymgi_cgroup_cores(const char *root);

#endif

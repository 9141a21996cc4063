/* How many threads a loop is divided among. All threads of a loop wait for the slowest one, thousands of times
 * a second. On cores that other programs use, too, one of them is always waiting for its turn, and two threads
 * are slower than one by a factor of 6, sixteen by a factor of 50. So the team is made smaller as long as its
 * threads wait for cores, and now and then a larger one is tried. Results do not depend on it. */
#ifndef HYMGI_BASE_TEAM_H
#define HYMGI_BASE_TEAM_H

#include <stdbool.h>
#include <stdint.h>

typedef struct hymgi_team {
  int threads;                   /* at most, as asked for */
  int size;                      /* at present */
  int fallback;                  /* while a larger team is on trial: the size before; else 0 */
  int crowded;                   /* successive windows in which threads waited */
  int calm;                      /* likewise in which none did */
  double since;                  /* start of the window */
  bool open;                     /* the window's first reading has been taken */
  double left;                   /* when the last call ended */
  double pause;                  /* from a failed trial to the next one */
  double next;                   /* no trial before this time */
  double reduced_since, reduced; /* seconds with a smaller team than asked for; since 0: not now */
} hymgi_team;

/* The shortest window in seconds, and the fraction of a window from which the threads' waits, summed, make it crowded. */
#define HYMGI_TEAM_WINDOW 0.005
#define HYMGI_TEAM_WAITED 0.2

/* Threads that pay off for a loop over so many cells: all of these, or one where the fork and join takes longer. */
int hymgi_team_worth(int64_t cells, int threads);

hymgi_team hymgi_team_of(int threads);

/* To be called when a call of the library begins and ends. The pause between two calls belongs to no window. */
void hymgi_team_begin(hymgi_team *team, double now);
void hymgi_team_end(hymgi_team *team, double now);

/* Is it time for a reading? */
bool hymgi_team_wants(const hymgi_team *team, double now);

/* waited: seconds, summed over the team's threads, for which they have waited for cores since the last reading. May
 * change team->size. The next reading then starts a window of the new team and is not evaluated. */
void hymgi_team_update(hymgi_team *team, double now, double waited);

/* Seconds so far with fewer threads than asked for. */
double hymgi_team_reduced(const hymgi_team *team, double now);

#endif

/* The size of a team of threads, from what its threads have waited for cores. */
#include "base/team.h"

#define FIRST_PAUSE   0.05 /* seconds */
#define LONGEST_PAUSE 3.0
#define MUCH          0.75 /* waited in all: one window is enough, as no short interruption takes so long */
#define TRIAL_SHARE   20 /* a pause is at least so many times as long as the trial that failed */

enum { CELLS_OF_TEAM = 16384, CELLS_OF_THREAD = 1024 };

/* Nothing between all threads and one: GCC's OpenMP ends the threads that a smaller team does not need and creates them
 * again for the next larger one, which took more than half of the time of a solve of 64^3 on 16 cores. */
int hymgi_team_worth(int64_t cells, int threads)
{
  return cells < CELLS_OF_TEAM || cells / threads < CELLS_OF_THREAD ? 1 : threads;
}

hymgi_team hymgi_team_of(int threads)
{
  return (hymgi_team){.threads = threads, .size = threads, .pause = FIRST_PAUSE};
}

void hymgi_team_begin(hymgi_team *team, double now)
{
  if (now - team->left < HYMGI_TEAM_WINDOW) return;
  team->since = now;
  team->open = false;
}

void hymgi_team_end(hymgi_team *team, double now)
{
  team->left = now;
}

bool hymgi_team_wants(const hymgi_team *team, double now)
{
  if (team->threads < 2) return false;
  if (team->size == 1 && !team->fallback) return now >= team->next;
  const bool steady = !team->crowded && !team->fallback && team->open;
  return now >= team->since + (steady ? 2 : 1) * HYMGI_TEAM_WINDOW;
}

static void resize(hymgi_team *team, double now, int size)
{
  if (team->reduced_since > 0) team->reduced += now - team->reduced_since;
  team->reduced_since = size < team->threads ? now : 0;
  team->size = size;
  team->calm = 0;
}

static void wait_longer(hymgi_team *team, double now, double window)
{
  team->pause = 2 * team->pause < LONGEST_PAUSE ? 2 * team->pause : LONGEST_PAUSE;
  if (team->pause < TRIAL_SHARE * window) team->pause = TRIAL_SHARE * window;
  team->next = now + team->pause;
}

static void crowded(hymgi_team *team, double now, double window, bool much)
{
  team->calm = 0;
  team->crowded++;
  if (team->fallback) {
    resize(team, now, team->fallback);
    team->fallback = team->crowded = 0;
    wait_longer(team, now, window);
  } else if (team->size == 1) {
    wait_longer(team, now, 0);
  } else if (team->crowded > 1 || much) {
    resize(team, now, team->size / 2);
    team->next = now + team->pause;
  }
}

static void calm(hymgi_team *team)
{
  team->crowded = 0;
  if (++team->calm < 2 || !team->fallback) return;
  team->fallback = 0;
  team->pause = FIRST_PAUSE;
}

static void try_more(hymgi_team *team, double now)
{
  if (team->size == team->threads || team->fallback || now < team->next) return;
  const int before = team->size;
  resize(team, now, 2 * before < team->threads ? 2 * before : team->threads);
  team->fallback = before;
}

void hymgi_team_update(hymgi_team *team, double now, double waited)
{
  const double window = now - team->since;
  if (!team->open)
    team->open = true;
  else if (waited > HYMGI_TEAM_WAITED * window)
    crowded(team, now, window, waited > MUCH * window);
  else
    calm(team);
  try_more(team, now);
  team->since = now;
}

double hymgi_team_reduced(const hymgi_team *team, double now)
{
  return team->reduced + (team->reduced_since > 0 ? now - team->reduced_since : 0);
}

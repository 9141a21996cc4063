/* See submit.h. */
#define _GNU_SOURCE
#include "hymg-fv/submit.h"

#include "common/sha256.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- the folder ---- */

static bool is_empty(const char *folder)
{
  DIR *d = opendir(folder);
  const struct dirent *entry;
  int others = d ? 0 : 1;
  while (d && (entry = readdir(d)))
    others += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
  if (d) closedir(d);
  return others == 0;
}

static const char *find_folder(fv_submission *s, const char *folder)
{
  struct stat info;
  size_t length = strlen(folder);
  while (length > 1 && folder[length - 1] == '/')
    length--;
  if (length >= OUTPUT_PATH) return "the name is too long";
  snprintf(s->folder, sizeof s->folder, "%.*s", (int)length, folder);
  const char *slash = strrchr(s->folder, '/'), *name = slash ? slash + 1 : s->folder;
  if (!*name || strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
    return "needs the name of a new folder";
  snprintf(s->beside, sizeof s->beside, "%s.new", s->folder);
  if (lstat(s->folder, &info) != 0) return errno == ENOENT ? NULL : strerror(errno);
  if (!S_ISDIR(info.st_mode)) return "is there and is no folder";
  return is_empty(s->folder) ? NULL : "is there and not empty; nothing in it is overwritten";
}

static void path_of(const fv_submission *s, const char *name, char path[OUTPUT_PATH + 32])
{
  snprintf(path, OUTPUT_PATH + 32, "%s/%s", s->beside, name);
}

/* ---- the log ---- */

const char *fv_submission_begin(fv_submission *s, const char *folder)
{
  char path[OUTPUT_PATH + 32];
  const char *why = find_folder(s, folder);
  s->shown = 0;
  s->lost = false;
  if (why) return why;
  if (mkdir(s->beside, 0777) != 0)
    return errno == EEXIST ? "FOLDER.new is there, of a run that is going on or was broken off"
                           : strerror(errno);
  path_of(s, "log.txt", path);
  fflush(stdout);
  s->log = open(path, O_RDWR | O_CREAT | O_EXCL, 0666);
  s->out = s->log < 0 ? -1 : dup(STDOUT_FILENO);
  if (s->out >= 0 && dup2(s->log, STDOUT_FILENO) >= 0) return NULL;
  why = strerror(errno);
  if (s->log >= 0) unlink(path), close(s->log);
  rmdir(s->beside);
  return why;
}

static bool write_all(int file, const char *data, size_t bytes)
{
  while (bytes > 0) {
    const ssize_t n = write(file, data, bytes);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    data += n;
    bytes -= (size_t)n;
  }
  return true;
}

void fv_submission_show(fv_submission *s)
{
  char part[4096];
  ssize_t n;
  fflush(stdout);
  while ((n = pread(s->log, part, sizeof part, s->shown)) > 0) {
    s->lost = !write_all(s->out, part, (size_t)n) || s->lost;
    s->shown += n;
  }
}

/* ---- the files ---- */

/* A file and its line in the checksums; consumes `data`. */
static bool add_file(const fv_submission *s, const char *name, char *data, size_t bytes,
                     FILE *checksums)
{
  char path[OUTPUT_PATH + 32];
  path_of(s, name, path);
  const int file = data ? open(path, O_WRONLY | O_CREAT | O_EXCL, 0666) : -1;
  bool ok = file >= 0 && write_all(file, data, bytes) && fsync(file) == 0;
  if (file >= 0) ok = close(file) == 0 && ok;
  if (ok && checksums) fprintf(checksums, "%s  %s\n", sha256_of(data, bytes).text, name);
  const int why = errno;
  free(data);
  errno = why;
  return ok;
}

static bool add_json(const fv_submission *s, const char *name, const fv_report *report,
                     bool (*print)(const void *, FILE *), FILE *checksums)
{
  char *data = NULL;
  size_t bytes = 0;
  FILE *stream = open_memstream(&data, &bytes);
  bool ok = stream && print(report, stream);
  if (stream) ok = fclose(stream) == 0 && ok;
  if (ok) return add_file(s, name, data, bytes, checksums);
  free(data);
  return false;
}

static bool add_log(const fv_submission *s, FILE *checksums)
{
  const off_t bytes = lseek(s->log, 0, SEEK_END);
  char *data = bytes < 0 ? NULL : malloc((size_t)bytes + 1);
  const bool ok = data && pread(s->log, data, (size_t)bytes, 0) == bytes && fsync(s->log) == 0;
  if (ok) fprintf(checksums, "%s  log.txt\n", sha256_of(data, (size_t)bytes).text);
  free(data);
  return ok;
}

static bool write_files(const fv_submission *s, const fv_report *report)
{
  char *lines = NULL;
  size_t bytes = 0;
  FILE *checksums = open_memstream(&lines, &bytes);
  if (!checksums) return false;
  bool ok = add_log(s, checksums) &&
            add_json(s, "machine.json", report, json_write_machine, checksums) &&
            add_json(s, "record.json", report, json_write, checksums);
  ok = fclose(checksums) == 0 && ok;
  if (ok) return add_file(s, "SHA256SUMS", lines, bytes, NULL);
  free(lines);
  return false;
}

/* So that a power failure cannot leave the name without the files. */
static void sync_folder(const fv_submission *s)
{
  const int folder = open(s->beside, O_RDONLY | O_DIRECTORY);
  if (folder < 0) return;
  fsync(folder);
  close(folder);
}

static void end_log(fv_submission *s)
{
  fv_submission_show(s);
  dup2(s->out, STDOUT_FILENO);
  close(s->out);
}

bool fv_submission_end(fv_submission *s, const fv_report *report)
{
  char path[OUTPUT_PATH + 32];
  end_log(s);
  bool ok = report && write_files(s, report);
  int why = errno;
  close(s->log);
  if (!report) {
    path_of(s, "log.txt", path);
    unlink(path);
    rmdir(s->beside);
    return true;
  }
  sync_folder(s);
  if (ok && rename(s->beside, s->folder) != 0) ok = false, why = errno;
  if (!ok)
    fprintf(stderr, "hymg-fv: --submit %s: %s; what could be written is in %s\n", s->folder,
            strerror(why), s->beside);
  if (s->lost) fprintf(stderr, "hymg-fv: standard output: could not be written\n");
  return ok && !s->lost;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* What an errno from a repository means for the run: a status and a plain sentence. */
#ifndef REPOPROBE_PROBE_FAULT_H
#define REPOPROBE_PROBE_FAULT_H

struct run;

/* Fails the run with "cannot DOING PATH: …" and returns `r`, a negative errno, unchanged. */
int fault_set(struct run *run, int r, const char *doing, const char *path);

/* Fails the run as refused, "PATH WHY", and returns -EPERM. */
int fault_refuse(struct run *run, const char *path, const char *why);

/* How many bytes of a path a sentence shows, for "%.*s": reasons have an end. */
int fault_path_len(const char *path);

#endif

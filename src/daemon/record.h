/* SPDX-License-Identifier: Apache-2.0 */
/* The daemon's side of the history: when it is open, what becomes of it, where it lies. Until it is
 * open, runs are held back here: they are measured and shown, and judged and kept in their order as
 * soon as it is known what was before them, and what was normal. */
#ifndef REPOPROBE_DAEMON_RECORD_H
#define REPOPROBE_DAEMON_RECORD_H

#include <stdbool.h>
#include <stddef.h>

struct daemon;
struct error;
struct present_repository;
struct run;

#define RECORD_HELD_MAX 1024

/* Opens it and restores what was known, or leaves that for later when it takes long. Probing begins
 * even so, if what keeps probes harmless can be read. */
int record_open(struct daemon *d, struct error *reterr);
/* Looks whether it is open by now, and says what became of it. */
void record_follow(struct daemon *d);
/* Says when the history cannot be written, and when it can be again: once each. To be called now
 * and then, too. */
void record_tell_trouble(struct daemon *d);
void record_done(struct daemon *d);

/* Judges and keeps what was held, once it is open and what was normal before has been asked for. */
void record_release(struct daemon *d);

/* True until then: the run is taken. */
bool record_hold(struct daemon *d, struct run *run);

/* Warns of a place that does not suit a database: at the start, and when a repository's file system
 * is known, once each. */
void record_look_at_place(struct daemon *d);
void record_compare_place(const struct daemon *d, struct present_repository *repository);

#endif

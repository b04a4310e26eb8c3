/*
 * notes.h - fields that a document lacks or that are refused, told at once
 *
 * Who repairs a file by hand wants to see all of it, not one field a run.
 */
#ifndef K3_COMMON_NOTES_H
#define K3_COMMON_NOTES_H

#include "common/err.h"

enum k3_note {
	K3_MISSING,
	K3_REFUSED,
	K3_NNOTE
};

#define K3_MAX_NOTES 100

struct k3_notes {
	unsigned n[K3_NNOTE];
	char text[K3_NNOTE][K3_MAX_NOTES][128];
};

/* Add one, while there is room. */
void k3_notes_add(struct k3_notes *notes, enum k3_note kind, const char *fmt,
    ...) __attribute__((format(printf, 3, 4)));

/* How many there are. */
unsigned k3_notes_count(const struct k3_notes *notes);

/*
 * Fill in 'err' with all notes about file 'name', as EX_DATAERR: "'NAME':
 * missing A, B; refused C, D".  Those that do not fit are counted.  Returns -1.
 */
int k3_notes_tell(const struct k3_notes *notes, const char *name,
    struct k3_err *err);

#endif

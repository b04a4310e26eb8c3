/*
 * notes.c - fields that a document lacks or that are refused, told at once
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "common/notes.h"

void
k3_notes_add(struct k3_notes *notes, enum k3_note kind, const char *fmt, ...)
{
	va_list ap;

	if (notes->n[kind] == K3_MAX_NOTES)
		return;
	va_start(ap, fmt);
	vsnprintf(notes->text[kind][notes->n[kind]++],
	    sizeof(notes->text[kind][0]), fmt, ap);
	va_end(ap);
}

unsigned
k3_notes_count(const struct k3_notes *notes)
{
	return notes->n[K3_MISSING] + notes->n[K3_REFUSED];
}

int
k3_notes_tell(const struct k3_notes *notes, const char *name,
    struct k3_err *err)
{
	static const char *const head[] = { "missing ", "refused " };
	/* Room for the file's name and for what is counted. */
	char text[sizeof(err->msg) - 256];
	size_t len = 0, room = sizeof(text) - 32;
	unsigned more = 0;

	for (unsigned kind = 0; kind < K3_NNOTE; kind++)
		for (unsigned i = 0; i < notes->n[kind]; i++) {
			const char *s = notes->text[kind][i];

			if (more > 0 || len + strlen(s) + 10 > room) {
				more++;
				continue;
			}
			if (len > 0)
				len += (size_t)sprintf(text + len, "%s",
				    i == 0 ? "; " : ", ");
			len += (size_t)sprintf(text + len, "%s%s",
			    i == 0 ? head[kind] : "", s);
		}
	if (more > 0)
		sprintf(text + len, ", and %u more", more);
	return k3_fail(err, EX_DATAERR, "'%.200s': %s", name, text);
}

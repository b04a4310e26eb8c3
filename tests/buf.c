/*
 * buf.c - bytes that grow, and whole files
 */
#include <stdint.h>
#include <string.h>

#include "common/buf.h"
#include "tests/tap.h"

int
main(void)
{
	struct k3_buf buf = { 0 };
	struct k3_err err;
	bool same = true;

	ok(k3_buf_put(&buf, NULL, 0, &err) == 0 && buf.len == 0,
	    "nothing put into nothing");
	for (int i = 0; i < 1000; i++) {
		char c = (char)i;

		same = same && k3_buf_put(&buf, &c, 1, &err) == 0;
	}
	for (int i = 0; i < 1000; i++)
		same = same && buf.data[i] == (char)i;
	ok(same && buf.len == 1000, "bytes put one by one");
	ok(k3_buf_need(&buf, SIZE_MAX - 10, &err) == -1 &&
		err.code == EX_OSERR && buf.len == 1000,
	    "more than there is memory is refused");
	ok(k3_buf_load(&buf, "/dev/null", &err) == 0 && buf.len == 1000,
	    "an empty file adds nothing");
	ok(k3_buf_load(&buf, "/proc/self/comm", &err) == 0 && buf.len > 1000,
	    "a file of unknown size is appended");
	ok(k3_buf_load(&buf, "/nonexistent", &err) == -1 &&
		err.code == EX_NOINPUT &&
		strcmp(err.msg,
		    "cannot open '/nonexistent': No such file or directory") ==
		    0,
	    "a file that is not there");
	ok(k3_buf_load(&buf, "/", &err) == -1 && err.code == EX_IOERR,
	    "a file that cannot be read");
	k3_buf_fini(&buf);
	ok(buf.data == NULL && buf.cap == 0, "empty at the end");
	return tap_done();
}

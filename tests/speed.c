/*
 * speed.c - a disk's rates are read, and anything else is refused
 */
#include <string.h>

#include "common/speed.h"
#include "tests/tap.h"

static void
good(void)
{
	static const char text[] =
	    "{\"k3-disk\": 1, \"rows\": [], \"mixed_rate\": 7, "
	    "\"expert_rate\": 2.5e9, \"trunk_rate\": 3000000000}";
	struct k3_speed speed = { .memory = 5, .flops = 6 };
	struct k3_err err = { .msg = "" };

	ok(k3_speed_parse(&speed, text, strlen(text), "x", &err) == 0 &&
		speed.experts == 2.5e9 && speed.trunk == 3e9,
	    "two rates %s", err.msg);
	ok(speed.memory == 5 && speed.flops == 6, "nothing else is set");
}

static void
bad(const char *text, const char *want)
{
	struct k3_speed speed = { .trunk = 1, .experts = 2 };
	struct k3_err err = { .msg = "" };

	ok(k3_speed_parse(&speed, text, strlen(text), "x", &err) == -1 &&
		err.code == EX_DATAERR && strstr(err.msg, want) != NULL &&
		speed.trunk == 1 && speed.experts == 2,
	    "%s: %s", text, err.msg);
}

int
main(void)
{
	struct k3_speed speed;
	struct k3_err err;

	good();
	bad("{}", "k3-trace disk --json");
	bad("[1]", "k3-trace disk --json");
	bad("{\"k3-disk\": 2}", "k3-trace disk --json");
	bad("{\"k3-disk\": 1}", "no trunk_rate");
	bad("{\"k3-disk\": 1, \"trunk_rate\": 3e9}", "no expert_rate");
	bad("{\"k3-disk\": 1, \"trunk_rate\": 0, \"expert_rate\": 1e9}",
	    "trunk_rate is no number");
	bad("{\"k3-disk\": 1, \"trunk_rate\": 1e9, \"expert_rate\": -1e9}",
	    "expert_rate is no number");
	bad("{\"k3-disk\": 1, \"trunk_rate\": 1e9, \"expert_rate\": \"1e9\"}",
	    "expert_rate is no number");
	bad("{\"k3-disk\": 1, \"trunk_rate\": 1e16, \"expert_rate\": 1e9}",
	    "trunk_rate is no number");
	bad("{\"k3-disk\": 1", "line 1");
	ok(k3_speed_load(&speed, "/nowhere/disk.json", &err) == -1 &&
		err.code == EX_NOINPUT,
	    "no file: %s", err.msg);
	return tap_done();
}

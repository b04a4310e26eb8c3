/*
 * speed.c - a disk's rates, as k3-trace disk has measured them
 */
#include "common/json.h"
#include "common/speed.h"

/* Bytes a second that a disk can have: anything else is a mistake. */
#define LEAST 1e3
#define MOST  1e15

static int
rate(const struct k3_json *json, const char *key, const char *name,
    double *bytes, struct k3_err *err)
{
	const struct k3_json *value = k3_json_get(json, key);

	if (value == NULL)
		return k3_fail(err, EX_DATAERR, "'%s': no %s", name, key);
	*bytes = k3_json_real(value);
	if (!(*bytes >= LEAST && *bytes <= MOST))
		return k3_fail(err, EX_DATAERR,
		    "'%s': %s is no number of bytes a second", name, key);
	return 0;
}

static int
take(struct k3_speed *speed, const struct k3_json *json, const char *name,
    struct k3_err *err)
{
	double trunk = 0, experts = 0;

	if (k3_json_int(k3_json_get(json, "k3-disk")) != 1)
		return k3_fail(err, EX_DATAERR,
		    "'%s': not what k3-trace disk --json writes (no "
		    "\"k3-disk\": 1)",
		    name);
	if (rate(json, "trunk_rate", name, &trunk, err) != 0 ||
	    rate(json, "expert_rate", name, &experts, err) != 0)
		return -1;
	speed->trunk = trunk;
	speed->experts = experts;
	return 0;
}

int
k3_speed_load(struct k3_speed *speed, const char *path, struct k3_err *err)
{
	struct k3_json *json = k3_json_load(path, err);
	int status;

	if (json == NULL)
		return -1;
	status = take(speed, json, path, err);
	k3_json_free(json);
	return status;
}

int
k3_speed_parse(struct k3_speed *speed, const char *text, size_t len,
    const char *name, struct k3_err *err)
{
	struct k3_json *json = k3_json_parse(text, len, name, err);
	int status;

	if (json == NULL)
		return -1;
	status = take(speed, json, name, err);
	k3_json_free(json);
	return status;
}

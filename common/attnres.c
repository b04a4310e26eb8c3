/*
 * attnres.c - attention over the residual stream's snapshots
 */
#include <string.h>

#include "common/attnres.h"
#include "common/norm.h"

struct job {
	struct k3_pass *pass;
	const float *const *snap;
	size_t nsnap;
	const float *p, *norm, *proj;
	float *y;
	float *key;   /* [thread][hidden] */
	float *score; /* [thread][nsnap + 1] */
};

static const float *
source(const struct job *job, size_t s, size_t row)
{
	const float *base = s < job->nsnap ? job->snap[s] : job->p;

	return base + row * job->pass->cfg->hidden;
}

static void
mix(const struct job *job, size_t row, float *key, float *score)
{
	const struct k3_kern *kern = job->pass->kern;
	size_t n = job->pass->cfg->hidden, nsource = job->nsnap + 1;
	float eps = (float)job->pass->cfg->eps, max = 0, sum = 0;
	float *y = job->y + row * n;

	for (size_t s = 0; s < nsource; s++) {
		k3_rms(kern, key, source(job, s, row), job->norm, n, eps);
		score[s] = k3_dot(kern, key, job->proj, n);
		max = s == 0 || score[s] > max ? score[s] : max;
	}
	for (size_t s = 0; s < nsource; s++) {
		score[s] = k3_exp(score[s] - max);
		sum += score[s];
	}
	memset(y, 0, n * sizeof(*y));
	for (size_t s = 0; s < nsource; s++)
		kern->axpy(y, source(job, s, row), n, score[s] / sum);
}

static void
work(void *arg, size_t begin, size_t end, unsigned thread)
{
	const struct job *job = arg;
	float *key = job->key + thread * (size_t)job->pass->cfg->hidden;
	float *score = job->score + thread * (job->nsnap + 1);

	for (size_t row = begin; row < end; row++)
		mix(job, row, key, score);
}

void
k3_attnres(struct k3_pass *pass, const float *const *snap, size_t nsnap,
    const float *p, const float *norm, const float *proj, float *y, size_t rows)
{
	uint64_t mark = pass->scratch.used;
	struct job job = { .pass = pass,
		.snap = snap,
		.nsnap = nsnap,
		.p = p,
		.norm = norm,
		.proj = proj,
		.y = y };

	job.key = k3_scratch_floats(&pass->scratch,
	    pass->par.threads * (size_t)pass->cfg->hidden);
	job.score =
	    k3_scratch_floats(&pass->scratch, pass->par.threads * (nsnap + 1));
	k3_par_run(&pass->par, rows,
	    k3_par_grain(4 * (nsnap + 1) * pass->cfg->hidden), work, &job);
	pass->scratch.used = mark;
}

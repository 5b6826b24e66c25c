/* SPDX-License-Identifier: MIT */
/*
 * What this is:  unit tests of the environment's parser and of the early heap.
 */

#include <unistd.h>

#include "common/segment_samples.h"
#include "shim/boot/boot.h"
#include "shim/memory/early_heap.h"
#include "tests/unit/tests.h"

static struct segment_run run;

static struct config read_one(const char *entry)
{
	static char before[] = "HOME=/", after[] = "PROFSHIM_OTHER=1";
	char *environment[] = {before, (char *)(uintptr_t)entry, after, NULL};
	struct config config;

	config_read(&config, &run, environment);
	return config;
}

TEST(has_defaults)
{
	char *nothing[] = {NULL};
	struct config config;

	config_read(&config, &run, nothing);
	assert_string_equal(config.output, "run.db");
	assert_string_equal(config.run->label, "");
	assert_null(config.collector);
	assert_null(config.joined_run);
	assert_int_equal(config.run->stack_depth_limit, 64);
	assert_int_equal(config.run->path_limit, 1u << 20);
	assert_int_equal(config.wait_ms, 10000);
	assert_int_equal(config.run->follow, 1);
	assert_int_equal(config.off, 0);
	assert_int_equal(config.run->span_floor_ns, 10000);
	assert_string_equal(config.run->setting_ignored, "");
	config_read(&config, &run, NULL);
	assert_string_equal(config.output, "run.db");
}

TEST(reads_values)
{
	assert_string_equal(read_one("PROFSHIM_OUTPUT=a b.db").output, "a b.db");
	assert_string_equal(read_one("PROFSHIM_OUTPUT=").output, "run.db");
	assert_string_equal(read_one("PROFSHIM_LABEL=x=y").run->label, "x=y");
	assert_int_equal(read_one("PROFSHIM_LEVEL=off").off, 1);
	assert_string_equal(read_one("PROFSHIM_LEVEL=").run->level, "full");
	assert_true(read_one("PROFSHIM_LEVEL=").run->overhead_percent == 10);
	assert_true(read_one("PROFSHIM_LEVEL=exact").run->overhead_percent == 0);
	assert_true(read_one("PROFSHIM_LEVEL=detailed").run->overhead_percent == 5);
	assert_int_equal(read_one("PROFSHIM_PATCH=off").keeps_code, 1);
	assert_int_equal(read_one("PROFSHIM_SPANS=off").run->span_floor_ns, 0);
	assert_int_equal(read_one("PROFSHIM_SPANS=auto").run->span_floor_ns, 10000);
	assert_int_equal(read_one("PROFSHIM_SPANS=100us").run->span_floor_ns, 100000);
	assert_int_equal(read_one("PROFSHIM_SPANS=2s").run->span_floor_ns, 2000000000);
	assert_int_equal(read_one("PROFSHIM_PATCH=on").keeps_code, 0);
	assert_int_equal(read_one("PROFSHIM_SAMPLES=timer").run->sample_hz,
			 SEGMENT_SAMPLES_TIMER);
	assert_int_equal(read_one("PROFSHIM_SAMPLES=off").run->sample_hz,
			 SEGMENT_SAMPLES_OFF);
	assert_int_equal(read_one("PROFSHIM_SAMPLES=10000").run->sample_hz, 10000);
	assert_int_equal(read_one("PROFSHIM_SAMPLES=10000").run->samples_only, 0);
	assert_int_equal(read_one("PROFSHIM_SAMPLES=only").run->samples_only, 1);
	assert_int_equal(read_one("PROFSHIM_SAMPLES=only").run->sample_hz,
			 SEGMENT_SAMPLES_AUTO);
	assert_int_equal(read_one("PROFSHIM_SAMPLES=only:2000").run->samples_only, 1);
	assert_int_equal(read_one("PROFSHIM_SAMPLES=only:2000").run->sample_hz, 2000);
	assert_int_equal(read_one("PROFSHIM_WAITS=off").leaves_waits, 1);
	assert_int_equal(read_one("PROFSHIM_WAITS=on").leaves_waits, 0);
	assert_true(read_one("PROFSHIM_OVERHEAD=2.5").run->overhead_percent == 2.5);
	assert_true(read_one("PROFSHIM_OVERHEAD=10%").run->overhead_percent == 10);
	assert_string_equal(read_one("PROFSHIM_OVERHEAD=10").run->level, "budget");
	assert_int_equal(read_one("PROFSHIM_FOLLOW=none").run->follow, 0);
	assert_int_equal(read_one("PROFSHIM_REPORT=text").run->report,
			 SEGMENT_REPORT_TEXT);
	assert_int_equal(read_one("PROFSHIM_REPORT=md").run->report, SEGMENT_REPORT_MD);
	assert_int_equal(read_one("PROFSHIM_REPORT=json").run->report,
			 SEGMENT_REPORT_JSON);
	assert_int_equal(read_one("PROFSHIM_REPORT=").run->report, SEGMENT_REPORT_NONE);
	assert_int_equal(read_one("PROFSHIM_WAIT=250ms").wait_ms, 250);
	assert_int_equal(read_one("PROFSHIM_WAIT=3s").wait_ms, 3000);
	assert_int_equal(read_one("PROFSHIM_WAIT=0").wait_ms, 0);
	assert_int_equal(read_one("PROFSHIM_STACK_DEPTH=256").run->stack_depth_limit,
			 256);
	assert_int_equal(read_one("PROFSHIM_MAX_PATHS=10").run->path_limit, 10);
}

/* What cannot be parsed keeps the default and is named. */
TEST(names_what_it_ignores)
{
	static const char *const wrong[] = {
		"PROFSHIM_WAIT=soon",	    "PROFSHIM_WAIT=-1",
		"PROFSHIM_WAIT=5m",	    "PROFSHIM_STACK_DEPTH=0",
		"PROFSHIM_STACK_DEPTH=257", "PROFSHIM_STACK_DEPTH=8x",
		"PROFSHIM_MAX_PATHS=-5",    "PROFSHIM_MAX_PATHS=99999999999999999999",
		"PROFSHIM_LEVEL=some",	    "PROFSHIM_FOLLOW=some",
		"PROFSHIM_SAMPLES=timers",  "PROFSHIM_SAMPLES=10001",
		"PROFSHIM_SAMPLES=only:x",  "PROFSHIM_SAMPLES=onlyx",
		"PROFSHIM_PATCH=maybe",	    "PROFSHIM_WAITS=some",
		"PROFSHIM_OVERHEAD=0",	    "PROFSHIM_OVERHEAD=-5",
		"PROFSHIM_OVERHEAD=ten",    "PROFSHIM_OVERHEAD=nan",
		"PROFSHIM_REPORT=yaml",	    "PROFSHIM_REPORT=JSON",
	};

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct config config = read_one(wrong[i]);

		assert_string_equal(config.run->setting_ignored, wrong[i]);
		assert_int_equal(config.wait_ms, 10000);
		assert_int_equal(config.run->samples_only, 0);
		assert_int_equal(config.run->stack_depth_limit, 64);
		assert_int_equal(config.run->path_limit, 1u << 20);
		assert_int_equal(config.off, 0);
		assert_true(config.run->overhead_percent == 10);
		assert_int_equal(config.run->report, SEGMENT_REPORT_NONE);
		assert_int_equal(config.run->follow, 1);
	}
}

TEST(early_heap_serves_until_it_is_full)
{
	char *first = early_heap_alloc(10, 16), *aligned = early_heap_alloc(100, 4096);
	int outside;

	assert_non_null(first);
	assert_int_equal((uintptr_t)first % 16, 0);
	assert_int_equal((uintptr_t)aligned % 4096, 0);
	assert_int_equal(early_heap_size(first), 10);
	assert_int_equal(early_heap_size(aligned), 100);
	assert_true(early_heap_owns(first));
	assert_false(early_heap_owns(&outside));
	assert_int_equal(first[0] | first[9], 0);
	assert_null(early_heap_alloc(EARLY_HEAP_BYTES, 16));
	assert_null(early_heap_alloc(SIZE_MAX, 16));
	while (early_heap_alloc(1000, 16))
		;
	assert_int_equal(early_heap_size(first), 10);
}

static struct segment_job job_of(const char *const *entries)
{
	struct config config;

	config_read(&config, &run, (char **)(uintptr_t)entries);
	return config.job;
}

#define JOB(...) job_of((const char *const[]){__VA_ARGS__, NULL})

static void is_job(struct segment_job job, const char *name, int32_t rank, uint32_t count)
{
	assert_string_equal(job.name, name);
	assert_int_equal(job.rank, rank);
	assert_int_equal(job.rank_count, count);
}

TEST(knows_launchers)
{
	char pmi[64];

	is_job(JOB("OMPI_COMM_WORLD_RANK=3", "OMPI_COMM_WORLD_SIZE=8",
		   "OMPI_MCA_ess_base_jobid=17", "PMIX_RANK=3", "PMIX_NAMESPACE=x"),
	       "ompi:17", 3, 8);
	is_job(JOB("OMPI_COMM_WORLD_RANK=0", "PMIX_NAMESPACE=prterun-1@2"),
	       "ompi:prterun-1@2", 0, 0);
	is_job(JOB("PMIX_RANK=1", "PMIX_NAMESPACE=n", "SLURM_STEP_NUM_TASKS=4"), "pmix:n",
	       1, 4);
	is_job(JOB("PMI_RANK=2", "PMI_SIZE=4", "PMI_JOBID=9"), "pmi:9", 2, 4);
	is_job(JOB("MV2_COMM_WORLD_RANK=2", "MV2_COMM_WORLD_SIZE=4", "SLURM_JOB_ID=8",
		   "SLURM_STEP_ID=1"),
	       "slurm:8.1", 2, 4);
	is_job(JOB("SLURM_PROCID=5", "SLURM_STEP_NUM_TASKS=6", "SLURM_JOB_ID=70",
		   "SLURM_STEP_ID=0"),
	       "slurm:70.0", 5, 6);
	/* nothing names the job: who began us does */
	snprintf(pmi, sizeof(pmi), "process:%d", (int)getppid());
	is_job(JOB("PMI_RANK=0", "PMI_SIZE=2", "PMI_FD=77"), pmi, 0, 2);
}

TEST(believes_no_launcher)
{
	char long_name[400] = "OMPI_MCA_ess_base_jobid=";

	is_job(JOB("HOME=/"), "", 0, 0);
	/* a batch script, outside of srun */
	is_job(JOB("SLURM_PROCID=0", "SLURM_JOB_ID=70"), "", 0, 0);
	is_job(JOB("SLURM_PROCID=0", "SLURM_JOB_ID=70", "SLURM_STEP_ID=4294967291"), "",
	       0, 0);
	is_job(JOB("OMPI_COMM_WORLD_RANK=-1", "OMPI_MCA_ess_base_jobid=1"), "", 0, 0);
	is_job(JOB("OMPI_COMM_WORLD_RANK=", "OMPI_MCA_ess_base_jobid=1"), "", 0, 0);
	is_job(JOB("OMPI_COMM_WORLD_RANK=99999999999999999999",
		   "OMPI_MCA_ess_base_jobid=1"),
	       "", 0, 0);
	is_job(JOB("OMPI_COMM_WORLD_RANK=4", "OMPI_COMM_WORLD_SIZE=x",
		   "OMPI_MCA_ess_base_jobid=1"),
	       "ompi:1", 4, 0);
	/* fewer than there are ranks */
	is_job(JOB("OMPI_COMM_WORLD_RANK=4", "OMPI_COMM_WORLD_SIZE=2",
		   "OMPI_MCA_ess_base_jobid=1"),
	       "ompi:1", 4, 0);
	memset(long_name + strlen(long_name), 'x', 300);
	assert_int_equal(strlen(JOB("OMPI_COMM_WORLD_RANK=4", long_name).name), 119);
}

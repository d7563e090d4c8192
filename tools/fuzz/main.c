// SPDX-License-Identifier: GPL-2.0
/* tuff: runs a fuzz target over files, for compilers without libFuzzer */
#include "check.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>

#include <sanitizer/common_interface_defs.h>

/* Not there in builds without sanitizers, as for coverage. */
#pragma weak __sanitizer_set_death_callback

#define INPUT_ROOM	(1024 * 1024)

static const char *current = "(none)";

static void say_which(void)
{
	fprintf(stderr, "input: %s\n", current);
}

static void aborted(int signal)
{
	say_which();
}

static int replay_file(const char *path)
{
	static u8 data[INPUT_ROOM];
	FILE *file = fopen(path, "rb");
	size_t size;
	u8 *copy;

	if (!file) {
		fprintf(stderr, "%s: %s\n", path, strerror(errno));
		exit(2);
	}
	size = fread(data, 1, sizeof(data), file);
	fclose(file);
	/* Of its own size, so that ASan sees its end. */
	copy = malloc(size);
	if (size)
		memcpy(copy, data, size);
	current = path;
	LLVMFuzzerTestOneInput(copy, size);
	free(copy);
	return 1;
}

static int replay(const char *path)
{
	struct dirent *entry;
	char name[4096];
	struct stat st;
	int nr = 0;
	DIR *dir;

	if (stat(path, &st)) {
		fprintf(stderr, "%s: %s\n", path, strerror(errno));
		exit(2);
	}
	if (!S_ISDIR(st.st_mode))
		return replay_file(path);
	dir = opendir(path);
	if (!dir) {
		fprintf(stderr, "%s: %s\n", path, strerror(errno));
		exit(2);
	}
	while ((entry = readdir(dir))) {
		if (entry->d_name[0] == '.')
			continue;
		snprintf(name, sizeof(name), "%s/%s", path, entry->d_name);
		nr += replay(name);
	}
	closedir(dir);
	return nr;
}

int main(int argc, char **argv)
{
	int nr = 0;
	int i;

	signal(SIGABRT, aborted);
	if (__sanitizer_set_death_callback)
		__sanitizer_set_death_callback(say_which);
	for (i = 1; i < argc; i++)
		nr += replay(argv[i]);
	if (!nr) {
		fprintf(stderr, "nothing to replay\n");
		return 2;
	}
	printf("# %d inputs\n", nr);
	return 0;
}

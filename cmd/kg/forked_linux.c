// The first child of a command that parses is forked here, before the runtime of Go
// begins: the parent only waits, and to load and start a second kg for that costs
// as much as to build the graph of a few files. While there is one thread, a fork
// is safe, and parent and child are equal but for what kg_forked says.
//
// Where anything fails there is no child, and supervise.go starts one by itself.
// It also takes over when the child has died.

#define _GNU_SOURCE
#include "forked_linux.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

struct kg_forked kg_forked;

const char *const kg_forking[] = {"impact", "diff", "build", "export", "query", "overview", "search",
	"pack", "sql", "cypher", "stats", "traces", "validate", NULL};

// Whether the command line is that of a command that parses: its name comes first,
// and it does not answer from a graph file. It is read as the kernel has it, since not
// every C library hands it to constructors.
static int asked(void) {
	static char line[16 << 10];
	int fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	ssize_t n = read(fd, line, sizeof line);
	close(fd);
	if (n <= 0 || n == sizeof line || line[n - 1] != 0)
		return 0;
	const char *end = line + n, *verb = line + strlen(line) + 1;
	if (verb >= end)
		return 0;
	const char *const *v = kg_forking;
	while (*v && strcmp(*v, verb) != 0)
		v++;
	if (!*v)
		return 0;
	for (const char *arg = verb; arg < end; arg += strlen(arg) + 1)
		if (strncmp(arg, "--graph", 7) == 0)
			return 0;
	return 1;
}

static volatile sig_atomic_t told; // the end of the child's orders that the parent holds; -1: closed

static void tell(int sig) {
	(void)sig;
	int fd = told;
	told = -1;
	if (fd >= 0)
		close(fd);
}

// What a child has said is passed on, but for what is longer than a report of a crash.
static void pass_on(int said) {
	static char text[64 << 10];
	ssize_t n = pread(said, text, sizeof text, 0);
	for (ssize_t i = 0; i < n;) {
		ssize_t k = write(STDERR_FILENO, text + i, n - i);
		if (k < 0 && errno != EINTR)
			return;
		i += k < 0 ? 0 : k;
	}
}

// Waits for the child, and ends as it did if that was in order.
static void await(pid_t child, int diary, int said) {
	int status = 0;
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	int interrupted = told < 0;
	tell(0);
	uint32_t ended = 0;
	if (pread(diary, &ended, sizeof ended, 0) == sizeof ended && ended != 0) {
		pass_on(said);
		_exit(ended - 1);
	}
	if (interrupted)
		_exit(130);
	kg_forked = (struct kg_forked){.role = KG_BEREAVED, .diary = diary, .said = said, .status = status};
}

// The signals that the parent handles while it waits. The first one that ends it ends
// the child in order, a second one the parent; SIGCHLD is handled lest somebody has had
// it ignored, since then nobody is told how a child ended.
static const int signals[] = {SIGINT, SIGTERM, SIGPIPE, SIGCHLD};
enum { SIGNALS = sizeof signals / sizeof *signals };

__attribute__((constructor)) static void begin(void) {
	if (getenv("KG_SUPERVISED_CHILD") || !asked())
		return;
	sigset_t all, before;
	sigfillset(&all);
	if (sigprocmask(SIG_BLOCK, &all, &before) != 0)
		return;
	int orders[2] = {-1, -1};
	int diary = memfd_create("kg-diary", MFD_CLOEXEC);
	int said = memfd_create("kg-said", MFD_CLOEXEC);
	int err = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
	pid_t child = -1;
	if (diary >= 0 && said >= 0 && err >= 0 && ftruncate(diary, KG_DIARY_SIZE) == 0 && pipe2(orders, O_CLOEXEC) == 0)
		child = fork();
	if (child == 0) {
		dup2(said, STDERR_FILENO);
		close(said);
		close(orders[1]);
		prctl(PR_SET_TIMERSLACK, 2000000UL, 0, 0, 0); // as in timers_linux.go
		kg_forked = (struct kg_forked){.role = KG_CHILD, .orders = orders[0], .diary = diary, .err = err};
		sigprocmask(SIG_SETMASK, &before, NULL);
		return;
	}
	close(orders[0]);
	close(err);
	if (child < 0) {
		close(orders[1]);
		close(diary);
		close(said);
		sigprocmask(SIG_SETMASK, &before, NULL);
		return;
	}
	told = orders[1];
	const struct sigaction handled[SIGNALS] = {{.sa_handler = tell, .sa_flags = SA_RESETHAND}, {.sa_handler = tell, .sa_flags = SA_RESETHAND},
		{.sa_handler = SIG_IGN}, {.sa_handler = SIG_DFL}};
	struct sigaction was[SIGNALS];
	for (int i = 0; i < SIGNALS; i++)
		sigaction(signals[i], &handled[i], &was[i]);
	sigprocmask(SIG_SETMASK, &before, NULL);
	await(child, diary, said);
	for (int i = 0; i < SIGNALS; i++)
		sigaction(signals[i], &was[i], NULL);
}

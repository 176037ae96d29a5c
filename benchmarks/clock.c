/* A clock that is not the machine's, for one process and its forks: preloaded by benchmarks/machines.py.

   CLOCK_FILE holds four doubles: when the simulation began by the machine's clock, the time that was shown then, how many seconds pass
   in one of the machine's, and what the clock has jumped since. With CLOCK_STEADY=1 the clock is that of a machine that was set when
   the process began: it goes on at the machine's pace, and only jumps change it. The monotonic clock stays the machine's. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

struct shown { double began, at, pace, jump; };

static const volatile struct shown *shown;
static double ahead; /* of a steady clock */
static int steady;
static int (*machine)(clockid_t, struct timespec *);

static double seconds(void)
{
    struct timespec now;
    if (!machine)
        machine = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
    machine(CLOCK_REALTIME, &now);
    return now.tv_sec + now.tv_nsec * 1e-9;
}

static double simulated(void)
{
    double now = seconds();
    if (!shown)
        return now;
    return shown->jump + (steady ? now + ahead : shown->at + (now - shown->began) * shown->pace);
}

__attribute__((constructor)) static void begin(void)
{
    const char *path = getenv("CLOCK_FILE");
    int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    void *page = file < 0 ? MAP_FAILED : mmap(0, sizeof *shown, PROT_READ, MAP_SHARED, file, 0);
    double now = seconds();
    if (file >= 0)
        close(file);
    if (page == MAP_FAILED)
        return;
    shown = page;
    steady = getenv("CLOCK_STEADY") != 0;
    ahead = shown->at + (now - shown->began) * shown->pace - now;
    unsetenv("LD_PRELOAD"); /* Ray and the sandbox keep the machine's clock */
}

int clock_gettime(clockid_t id, struct timespec *to)
{
    double now;
    if (id != CLOCK_REALTIME || !shown) {
        seconds();
        return machine(id, to);
    }
    now = simulated();
    to->tv_sec = (time_t)now;
    to->tv_nsec = (long)((now - (double)to->tv_sec) * 1e9);
    return 0;
}

int gettimeofday(struct timeval *restrict to, void *restrict zone)
{
    double now = simulated();
    (void)zone;
    to->tv_sec = (time_t)now;
    to->tv_usec = (suseconds_t)((now - (double)to->tv_sec) * 1e6);
    return 0;
}

time_t time(time_t *to)
{
    time_t now = (time_t)simulated();
    if (to)
        *to = now;
    return now;
}

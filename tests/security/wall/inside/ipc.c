/* System V and POSIX objects, sockets, terminals. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <termios.h>
#include <unistd.h>

#include "helper.h"

struct Message {
  long kind;
  char text[200];
};

/* make-objects SEGMENT MESSAGE QUEUE: one object of each kind, for the host. */
static int MakeObjects(int argc, char** argv) {
  if (argc < 4) return 2;
  const int segment = shmget(0x57a11, 4096, IPC_CREAT | 0666);
  char* const memory = shmat(segment, NULL, 0);
  if (memory == (void*)-1) return Refused("shmat");
  strcpy(memory, argv[1]);
  struct Message message = {1, ""};
  strncpy(message.text, argv[2], sizeof message.text - 1);
  if (msgsnd(msgget(0x57a12, IPC_CREAT | 0666), &message, sizeof message.text, 0) < 0) return Refused("msgsnd");
  const int set = semget(0x57a13, 1, IPC_CREAT | 0666);
  if (semctl(set, 0, SETVAL, 41) < 0) return Refused("semctl");
  struct mq_attr attr = {0, 4, 200, 0, {0}};
  const mqd_t queue = mq_open("/wall-probe", O_CREAT | O_RDWR, 0666, &attr);
  if (queue < 0) return Refused("mq_open");
  return mq_send(queue, argv[3], strlen(argv[3]), 1) < 0 ? Refused("mq_send") : 0;
}

static int ReadSegment(int argc, char** argv) {
  const int segment = shmget(0x57a11, 4096, 0);
  if (segment < 0) return Refused("shmget");
  const char* const memory = shmat(segment, NULL, 0);
  if (memory == (void*)-1) return Refused("shmat");
  printf("%s\n", memory);
  return 0;
}

static int ReadMessage(int argc, char** argv) {
  struct Message message;
  if (msgrcv(msgget(0x57a12, 0), &message, sizeof message.text, 0, IPC_NOWAIT | 020000 /* MSG_COPY */) < 0 &&
      msgrcv(msgget(0x57a12, 0), &message, sizeof message.text, 0, IPC_NOWAIT) < 0) {
    return Refused("msgrcv");
  }
  printf("%s\n", message.text);
  return 0;
}

static int TakeSemaphore(int argc, char** argv) {
  const int value = semctl(semget(0x57a13, 1, 0), 0, GETVAL);
  return value == 41 ? Opened() : Refused("semctl");
}

static int RemoveObjects(int argc, char** argv) {
  return Judge("IPC_RMID", shmctl(shmget(0x57a11, 4096, 0), IPC_RMID, NULL));
}

static int ReadQueue(int argc, char** argv) {
  char text[200];
  const mqd_t queue = mq_open("/wall-probe", O_RDONLY | O_NONBLOCK);
  if (queue < 0) return Refused("mq_open");
  const ssize_t length = mq_receive(queue, text, sizeof text, NULL);
  if (length < 0) return Refused("mq_receive");
  printf("%.*s\n", (int)length, text);
  return 0;
}

/* call-unix PATH|@NAME TEXT: sends TEXT and prints the answer. */
static int CallUnix(int argc, char** argv) {
  struct sockaddr_un address = {AF_UNIX, ""};
  if (argc < 3 || strlen(argv[1]) >= sizeof address.sun_path) return 2;
  strcpy(address.sun_path, argv[1]);
  socklen_t length = sizeof address;
  if (argv[1][0] == '@') {
    address.sun_path[0] = 0;
    length = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + strlen(argv[1]));
  }
  const int kind = argc > 3 ? SOCK_DGRAM : SOCK_STREAM;
  const int sock = socket(AF_UNIX, kind, 0);
  if (sock < 0) return Refused("socket");
  if (connect(sock, (struct sockaddr*)&address, length) < 0) return Refused("connect");
  if (write(sock, argv[2], strlen(argv[2])) < 0 || write(sock, "\n\r\n\n", 4) < 0) return Refused("write");
  if (kind == SOCK_DGRAM) return 0;
  char text[4096];
  const ssize_t got = read(sock, text, sizeof text);
  printf("%.*s\n", got > 0 ? (int)got : 0, text);
  return 0;
}

/* Puts keys into the terminal's input, for the caller's shell to read. */
static int PushKeys(int argc, char** argv) {
  if (argc < 2) return 2;
  int terminal = open("/dev/tty", O_RDWR);
  if (terminal < 0) terminal = 0;
  for (const char* key = argv[1]; *key; ++key) {
    if (ioctl(terminal, TIOCSTI, key) < 0 && ioctl(0, TIOCSTI, key) < 0) return Refused("TIOCSTI");
  }
  return 0;
}

/* The same with the request's upper bits set, which the kernel ignores and a filter may not. */
static int PushKeysHigh(int argc, char** argv) {
  extern long syscall(long, ...);
  if (argc < 2) return 2;
  int terminal = open("/dev/tty", O_RDWR);
  if (terminal < 0) terminal = 0;
  for (const char* key = argv[1]; *key; ++key) {
    if (syscall(16 /* ioctl */, (long)terminal, 0x100000000L | TIOCSTI, key) < 0) return Refused("TIOCSTI");
  }
  return 0;
}

static int Paste(int argc, char** argv) {
  char selection = 3;
  return Judge("TIOCLINUX", ioctl(0, 0x541C, &selection));
}

/* Takes the caller's terminal for its own session. */
static int StealTerminal(int argc, char** argv) {
  if (fork() > 0) {
    sleep(1);
    return 0;
  }
  setsid();
  return Judge("TIOCSCTTY", ioctl(0, TIOCSCTTY, 1));
}

/* The address that two threads fight over. */
static struct {
  struct sockaddr_in now, one, other;
  volatile int begun, over;
} race;

static void* Swap(void* unused) {
  race.begun = 1;
  while (!race.over) {
    memcpy(&race.now, &race.one, sizeof race.now);
    __asm__ volatile("" ::: "memory");  // or both stores become one, after the loop
    memcpy(&race.now, &race.other, sizeof race.now);
    __asm__ volatile("" ::: "memory");
  }
  return unused;
}

static int Race(char** argv, int kind) {
  pthread_t thread;
  race.one.sin_family = race.other.sin_family = AF_INET;
  race.one.sin_port = htons((unsigned short)atoi(argv[2]));
  race.other.sin_port = htons((unsigned short)atoi(argv[4]));
  inet_pton(AF_INET, argv[1], &race.one.sin_addr);
  inet_pton(AF_INET, argv[3], &race.other.sin_addr);
  race.now = race.one;
  if (pthread_create(&thread, NULL, Swap, NULL)) return Refused("pthread_create");
  while (!race.begun) usleep(1000);
  for (int i = 0; i < (kind == SOCK_DGRAM ? 3000 : 300); ++i) {
    const int sock = socket(AF_INET, kind, 0);
    if (sock < 0) return Refused("socket");
    if (kind == SOCK_DGRAM) {
      if (i % 10 == 0) usleep(200);  // the other thread may have no processor of its own
      sendto(sock, argv[5], strlen(argv[5]), 0, (struct sockaddr*)&race.now, sizeof race.now);
    } else if (connect(sock, (struct sockaddr*)&race.now, sizeof race.now) == 0) {
      if (write(sock, argv[5], strlen(argv[5])) < 0 || write(sock, "\n\n", 2) < 0) perror("write");
    }
    close(sock);
  }
  race.over = 1;
  pthread_join(thread, NULL);
  return 0;
}

static int RaceConnect(int argc, char** argv) { return argc > 5 ? Race(argv, SOCK_STREAM) : 2; }

static int RaceSend(int argc, char** argv) { return argc > 5 ? Race(argv, SOCK_DGRAM) : 2; }

const struct Trick kIpcTricks[] = {
    {"make-objects", MakeObjects}, {"read-segment", ReadSegment}, {"read-message", ReadMessage},
    {"take-semaphore", TakeSemaphore}, {"remove-objects", RemoveObjects}, {"read-queue", ReadQueue},
    {"call-unix", CallUnix}, {"push-keys", PushKeys}, {"push-keys-high", PushKeysHigh}, {"paste", Paste},
    {"steal-terminal", StealTerminal}, {"race-connect", RaceConnect}, {"race-send", RaceSend}, {NULL, NULL}};

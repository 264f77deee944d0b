/*
 * The cheapest possible HTTP server: one thread, epoll, and a response from memory for each request, without parsing
 * more than the number at the start of its path. `minimal FILE...` serves the bytes of the Nth file, head and
 * body, at `/N/...`. Prints where it listens.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum { EVENTS = 64, REQUEST_BYTES = 16384 };

struct response {
  char *bytes;
  size_t length;
};

static struct response read_file(const char *path) {
  FILE *file = fopen(path, "rb");
  if (file == NULL) exit(1);
  fseek(file, 0, SEEK_END);
  long length = ftell(file);
  rewind(file);
  char *bytes = malloc((size_t)length);
  if (bytes == NULL || fread(bytes, 1, (size_t)length, file) != (size_t)length) exit(1);
  fclose(file);
  return (struct response){bytes, (size_t)length};
}

/* A connection of wrk has one request at a time, and client sockets block: no read or write is partial. */
static void serve(int client, const struct response *responses, int count) {
  char request[REQUEST_BYTES];
  ssize_t length = read(client, request, sizeof request - 1);
  if (length <= 0) {
    close(client);
    return;
  }
  request[length] = 0;
  int index = atoi(strchr(request, '/') + 1);
  if (strstr(request, "\r\n\r\n") == NULL || index >= count) exit(2);
  if (write(client, responses[index].bytes, responses[index].length) != (ssize_t)responses[index].length) exit(3);
}

int main(int count, char **paths) {
  struct response *responses = calloc((size_t)count, sizeof *responses);
  for (int index = 1; index < count; index++) responses[index - 1] = read_file(paths[index]);

  int listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t size = sizeof address;
  if (bind(listener, (struct sockaddr *)&address, size) != 0 || listen(listener, 128) != 0) return 1;
  getsockname(listener, (struct sockaddr *)&address, &size);
  printf("listening on http://127.0.0.1:%d\n", ntohs(address.sin_port));
  fflush(stdout);

  int queue = epoll_create1(0);
  struct epoll_event event = {.events = EPOLLIN, .data.fd = listener}, events[EVENTS];
  epoll_ctl(queue, EPOLL_CTL_ADD, listener, &event);
  for (;;) {
    int ready = epoll_wait(queue, events, EVENTS, -1);
    for (int index = 0; index < ready; index++) {
      if (events[index].data.fd != listener) {
        serve(events[index].data.fd, responses, count - 1);
        continue;
      }
      int client = accept(listener, NULL, NULL);
      event = (struct epoll_event){.events = EPOLLIN, .data.fd = client};
      if (client >= 0) epoll_ctl(queue, EPOLL_CTL_ADD, client, &event);
    }
  }
}

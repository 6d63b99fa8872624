/* ravel/net.h: processes that send messages to each other, for `ravel verify --model udp|tcp|tcp-buffered|mqtt|dds|quic|rpc|FILE.cat`.
 *
 * A process is a thread; what threads share beside topics is memory that they use one after the other. A topic is a
 * global that RAVEL_TOPIC makes. What the network does to messages is said by the model (docs/protocols.md). */
#ifndef RAVEL_NET_H
#define RAVEL_NET_H

/* What a receive gives that has received nothing. No message has this value. */
#define RAVEL_NONE (-0x7fffffffffffffffLL - 1)

typedef struct {
    long long ravel_message;
} ravel_topic;

#define RAVEL_TOPIC(name) ravel_topic name = { RAVEL_NONE }
#define RAVEL_TOPICS(name, n) ravel_topic name[n] = { [0 ... (n) - 1] = { RAVEL_NONE } }

/* Tags are a text: "QoS1", "Request AtMostOnce". */
void __ravel_net_send(ravel_topic *topic, long long value, const char *tags);
long long __ravel_net_receive(ravel_topic *topic, const char *tags);
long long __ravel_net_try_receive(ravel_topic *topic, const char *tags);
void __ravel_net_refuse(int condition, const char *what);

/* Sends; never waits by itself. */
#define ravel_send(topic, value) __ravel_net_send(&(topic), (value), "")
#define ravel_send_as(topic, value, tags) __ravel_net_send(&(topic), (value), tags)
/* Waits until something is received. */
#define ravel_receive(topic) __ravel_net_receive(&(topic), "")
#define ravel_receive_as(topic, tags) __ravel_net_receive(&(topic), tags)
/* Receives, or comes back with RAVEL_NONE at any moment: a receive with a timeout. */
#define ravel_try_receive(topic) __ravel_net_try_receive(&(topic), "")
#define ravel_try_receive_as(topic, tags) __ravel_net_try_receive(&(topic), tags)

/* Sockets: RAVEL_ENDPOINTS(client, bank) names the endpoints of a test. An endpoint is the descriptor of its socket; ravel_at(bank)
 * is its address. Each has one inbox, which is a topic. A message has seven bytes at most, and is received whole. */
#define RAVEL_ENDPOINTS(...)                                                                                           \
    enum { __VA_ARGS__, ravel_n_endpoints };                                                                           \
    static RAVEL_TOPICS(ravel_inboxes, ravel_n_endpoints);                                                             \
    static int ravel_peers[ravel_n_endpoints];                                                                         \
    struct sockaddr ravel_addresses[ravel_n_endpoints]

#define ravel_at(endpoint) ((const struct sockaddr *)&ravel_addresses[endpoint])
#define ravel_endpoint_of(address) ((int)((const struct sockaddr *)(address) - ravel_addresses))

static inline long long ravel_packed(const void *bytes, unsigned long n, int from)
{
    unsigned long long word = (unsigned long long)n << 56 | (unsigned long long)from << 59;
    __ravel_net_refuse(n > 7, "a message of more than seven bytes");
    __ravel_net_refuse(from > 15, "more than sixteen endpoints");
    for (unsigned long i = 0; i < 7 && i < n; i++)
        word |= (unsigned long long)((const unsigned char *)bytes)[i] << 8 * i;
    return (long long)word;
}

static inline long ravel_unpacked(long long message, void *bytes, unsigned long n, int *from)
{
    unsigned long long word = (unsigned long long)message;
    unsigned long length = word >> 56 & 7;
    if (message == RAVEL_NONE)
        return -1;
    __ravel_net_refuse(length > n, "a message that is longer than the buffer it is received into");
    for (unsigned long i = 0; i < 7 && i < length; i++)
        ((unsigned char *)bytes)[i] = (unsigned char)(word >> 8 * i);
    *from = (int)(word >> 59 & 15);
    return (long)length;
}

#define ravel_sendto(socket, bytes, n, to)                                                                             \
    (__ravel_net_send(&ravel_inboxes[to], ravel_packed((bytes), (n), (socket)), ""), (long)(n))
#define ravel_recvfrom(socket, bytes, n, flags, from)                                                                  \
    ravel_unpacked((flags) & MSG_DONTWAIT ? ravel_try_receive(ravel_inboxes[socket]) : ravel_receive(ravel_inboxes[socket]), \
                   (bytes), (n), (from))

#ifdef RAVEL_SOCKETS
/* Include <sys/socket.h> and this header with RAVEL_SOCKETS defined: the calls then mean the endpoints above. A receive that may not wait gives -1 if there is nothing. */
#define sendto(socket, bytes, n, flags, to, size) ravel_sendto(socket, bytes, n, ravel_endpoint_of(to))
#define send(socket, bytes, n, flags) ravel_sendto(socket, bytes, n, ravel_peers[socket])
#define connect(socket, to, size) (ravel_peers[socket] = ravel_endpoint_of(to), 0)
#define recv(socket, bytes, n, flags)                                                                                  \
    __extension__({                                                                                                    \
        int ravel_from;                                                                                                \
        ravel_recvfrom(socket, bytes, n, flags, &ravel_from);                                                          \
    })
#define recvfrom(socket, bytes, n, flags, address, size)                                                               \
    __extension__({                                                                                                    \
        int ravel_from = 0;                                                                                            \
        long ravel_length = ravel_recvfrom(socket, bytes, n, flags, &ravel_from);                                      \
        if (ravel_length >= 0)                                                                                         \
            *(address) = ravel_at(ravel_from);                                                                         \
        ravel_length;                                                                                                  \
    })
#endif

#endif

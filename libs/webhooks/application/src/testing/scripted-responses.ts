import type { ServerResponse } from 'node:http';

export type SendResponse = (response: ServerResponse) => void;

const withStatus =
  (status: number, headers: Record<string, string> = {}): SendResponse =>
  (response) =>
    void response.writeHead(status, headers).end(`status ${status}`);

/** The responses of a `Receiver`, selected by the path. */
export const scriptedResponses = {
  ok: withStatus(200),
  accepted: withStatus(202),
  hang: () => undefined,
  reset: (response) => response.socket?.resetAndDestroy(),
  close: (response) => response.socket?.destroy(),
  redirect: withStatus(301, { Location: 'http://127.0.0.1:9/internal' }),
  wrong: withStatus(500),
  gone: withStatus(410),
  busy: withStatus(429, { 'Retry-After': '7200' }),
  down: withStatus(503, { 'Retry-After': 'Fri, 01 Feb 2030 00:00:00 GMT' }),
  /** Sends the status and then single bytes without end. */
  drip: (response) => {
    response.writeHead(200).flushHeaders();
    const timer = setInterval(() => response.write('.'), 5);
    response.on('close', () => clearInterval(timer));
  },
  /** Sends headers without end. */
  dripHeaders: (response) => {
    const { socket } = response;
    socket?.write('HTTP/1.1 200 OK\r\n');
    const timer = setInterval(() => socket?.write('X-Drip: 1\r\n'), 50);
    socket?.on('close', () => clearInterval(timer));
  },
  /** Sends up to ten gigabytes, as fast as the client reads. */
  endless: (response) => {
    response.writeHead(200, { 'Content-Length': `${10 * 1024 ** 3}` });
    const pour = (): void => {
      while (response.write(Buffer.alloc(64 * 1024, 'x')));
    };
    response.on('drain', pour);
    response.on('close', () => response.off('drain', pour));
    pour();
  },
  breakOff: (response) => {
    response.writeHead(200, { 'Content-Length': '100' }).write('half', () => response.socket?.destroy());
  },
  notHttp: (response) => void response.socket?.end('SSH-2.0-OpenSSH_9.6\r\n'),
  binary: (response) => void response.writeHead(400).end(Buffer.from([0, 0xff, 0xfe, 0, 0x41])),
  chatty: (response) => void response.writeHead(400).end('ä'.repeat(2_000)),
} satisfies Record<string, SendResponse>;

export type ResponseName = keyof typeof scriptedResponses;

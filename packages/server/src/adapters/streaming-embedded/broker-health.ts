/** Asks a broker which API versions it supports. This needs no sign-in, and the broker answers as long as its event loop runs. */
import { connect } from 'node:net';
import type { BrokerAddress } from '#ports/streaming.ts';

/** ApiVersions version 0, without a client id. */
const QUESTION = Buffer.from('0000000a' + '0012' + '0000' + '00000001' + 'ffff', 'hex');
const ANSWER_MS = 10_000;

export const answersInTime = ({ host, port }: BrokerAddress, timeout = ANSWER_MS): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect({ host, port, timeout });
    const end = (isWell: boolean): void => {
      socket.destroy();
      resolve(isWell);
    };
    socket.once('connect', () => socket.write(QUESTION));
    socket.once('data', () => end(true));
    socket.once('timeout', () => end(false));
    socket.once('error', () => end(false));
    socket.once('close', () => end(false));
  });

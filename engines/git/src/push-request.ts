/** The part of a push before its pack: the ref changes, and the client's capabilities. */
import { ProtocolError, zeroOid } from './pkt-line.ts';
import { isOid } from './read-objects.ts';

/** Enough for a mirror of a large repository, but bounded. */
export const maxCommandBytes = 4 * 1024 * 1024;

export interface RefChange {
  readonly ref: string;
  /** 40 zeros if the ref does not exist yet. */
  readonly from: string;
  /** 40 zeros if the ref is deleted. */
  readonly to: string;
}

export interface PushRequest {
  readonly changes: readonly RefChange[];
  readonly capabilities: ReadonlySet<string>;
  /** False if the push only deletes. Then no pack follows. */
  readonly hasPack: boolean;
}

/** Parses `lines`, the request's first section. Throws ProtocolError. */
export function parsePushRequest(lines: readonly Buffer[]): PushRequest {
  const changes: RefChange[] = [];
  let capabilities = new Set<string>();
  for (const line of lines) {
    const [command = '', offered] = line.toString('utf8').split('\0');
    if (offered !== undefined) capabilities = new Set(offered.trim().split(' '));
    // A shallow client names where its history ends. Git checks it.
    if (command.startsWith('shallow ')) continue;
    const match = /^(\S{40}) (\S{40}) (.+)$/.exec(command.trimEnd());
    const [, from = '', to = '', ref = ''] = match ?? [];
    if (!isOid(from) || !isOid(to)) throw new ProtocolError('a push command is not understood');
    changes.push({ from, to, ref });
  }
  return { changes, capabilities, hasPack: changes.some((change) => change.to !== zeroOid) };
}

/** Canonical form of a .proto file: its tokens with single spaces, without comments. */
import type { ProtoFile } from './proto-file.ts';
import { protoTokens } from './proto-tokens.ts';

export const canonicalProto = (file: ProtoFile): string =>
  protoTokens(file.source.text)
    .filter(({ kind }) => kind !== 'end')
    .map(({ kind, text }) => (kind === 'text' ? JSON.stringify(text) : text))
    .join(' ');

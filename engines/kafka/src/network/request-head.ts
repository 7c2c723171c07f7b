/** Parses the header of each request. */
import { apiTables, type Api } from '../protocol/apis.ts';
import { isFlexible } from '../protocol/codec.ts';
import { MalformedRequest, Reader } from '../protocol/reader.ts';
import { Writer } from '../protocol/writer.ts';

export interface RequestHead {
  readonly api: Api;
  readonly version: number;
  readonly correlationId: number;
  readonly clientId: string | null;
}

const isApi = (name: string): name is Api => Object.hasOwn(apiTables, name);
const apiByKey = new Map<number, Api>(
  Object.keys(apiTables).flatMap((name) => (isApi(name) ? [[apiTables[name].key, name] as const] : [])),
);

/** Reads the header and leaves the reader at the body. `isOffered` tells which versions can be parsed beyond their correlation id. */
export const readHead = (reader: Reader, isOffered: (api: Api, version: number) => boolean): RequestHead => {
  const key = reader.int16();
  const version = reader.int16();
  const correlationId = reader.int32();
  const api = apiByKey.get(key);
  if (api === undefined) throw new MalformedRequest(`no such API: ${key}`);
  if (!isOffered(api, version)) {
    // A client starts with its newest ApiVersions, and learns from the answer which version to use.
    if (api === 'ApiVersions') return { api, version, correlationId, clientId: null };
    throw new MalformedRequest(`${api} is not offered in version ${version}`);
  }
  const clientIdBytes = reader.int16();
  const clientId = clientIdBytes < 0 ? null : reader.text(clientIdBytes);
  if (isFlexible(api, version)) for (let tags = reader.varint(); tags > 0; tags -= 1) skipTag(reader);
  return { api, version, correlationId, clientId };
};

const skipTag = (reader: Reader): void => {
  reader.varint();
  reader.skip(reader.varint());
};

/** Returns a writer that contains the response header. finishResponse() fills in the length. */
export const beginResponse = ({ api, version, correlationId }: RequestHead): Writer => {
  const writer = new Writer();
  writer.int32(0);
  writer.int32(correlationId);
  // Clients read the answer to ApiVersions before they know which versions are flexible.
  if (isFlexible(api, version) && api !== 'ApiVersions') writer.varint(0);
  return writer;
};
export const finishResponse = (writer: Writer): Buffer[] => {
  writer.int32At(0, writer.length - 4);
  return writer.finish();
};

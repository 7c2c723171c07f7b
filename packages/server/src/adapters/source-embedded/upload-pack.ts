/** Clone and fetch without host git: the stateless form of git's pack protocol, versions 0 and 1. */
import { isOid } from './git-object.ts';
import { ObjectStore } from './object-store.ts';
import { packStream } from './pack-stream.ts';
import { ProtocolError, bandPkts, flushPkt, pkt } from './pkt-line.ts';
import type { ByteReader } from './pkt-line.ts';
import { readRefs } from './refs.ts';
import { ancestors, peeledOid, wantedObjects } from './wanted-objects.ts';

const maxRequestBytes = 8 * 1024 * 1024;

interface FetchRequest {
  readonly wants: readonly string[];
  readonly haves: readonly string[];
  readonly capabilities: ReadonlySet<string>;
  readonly isDone: boolean;
}

async function readRequest(reader: ByteReader): Promise<FetchRequest> {
  const wants: string[] = [];
  const haves: string[] = [];
  let capabilities: ReadonlySet<string> = new Set();
  let bytes = 0;
  for (let line = await reader.pkt(); line !== undefined; line = await reader.pkt()) {
    // A flush parts the wants from the haves; both say themselves what they are.
    if (line === null) continue;
    bytes += line.length;
    if (bytes > maxRequestBytes) throw new ProtocolError('the request names too many objects');
    const [verb = '', oid = '', ...rest] = line.toString('latin1').trim().split(' ');
    if (verb === 'done') return { wants, haves, capabilities, isDone: true };
    if (verb === 'have' && isOid(oid)) haves.push(oid);
    else if (verb === 'want' && isOid(oid)) {
      if (wants.length === 0) capabilities = new Set(rest);
      wants.push(oid);
    } else throw new ProtocolError(`this server does not understand '${verb.slice(0, 20)}'`);
  }
  return { wants, haves, capabilities, isDone: false };
}

/** A client may ask for what a branch or tag holds or held: between its two requests the ref may have moved. */
async function checkWants(gitDir: string, objects: ObjectStore, wants: readonly string[]): Promise<void> {
  const tips = new Set((await readRefs(gitDir)).values());
  const others = wants.filter((oid) => !tips.has(oid));
  if (others.length === 0) return;
  const reachable = await ancestors(objects, await Promise.all([...tips].map((oid) => peeledOid(objects, oid))));
  const foreign = others.find((oid) => !reachable.has(oid));
  if (foreign !== undefined) throw new ProtocolError(`upload-pack: not our ref ${foreign}`);
}

async function commonOf(objects: ObjectStore, haves: readonly string[]): Promise<string[]> {
  const common: string[] = [];
  for (const oid of haves) if (await objects.has(oid)) common.push(oid);
  return common;
}

/** Answers in one round of a negotiation: which of the client's objects are here too. */
function negotiation(request: FetchRequest, common: readonly string[]): Buffer {
  const last = common.at(-1);
  if (!request.capabilities.has('multi_ack_detailed')) return pkt(last === undefined ? 'NAK\n' : `ACK ${last}\n`);
  const acks = common.map((oid) => pkt(`ACK ${oid} common\n`));
  return Buffer.concat([...acks, request.isDone && last !== undefined ? pkt(`ACK ${last}\n`) : pkt('NAK\n')]);
}

async function* answer(gitDir: string, objects: ObjectStore, request: FetchRequest): AsyncGenerator<Buffer> {
  await checkWants(gitDir, objects, request.wants);
  const common = await commonOf(objects, request.haves);
  yield negotiation(request, common);
  if (!request.isDone) return;
  const isBanded = request.capabilities.has('side-band-64k');
  const oids = await wantedObjects(objects, { wants: request.wants, common });
  for await (const chunk of packStream(objects, oids)) yield isBanded ? bandPkts(1, chunk) : chunk;
  if (isBanded) yield flushPkt;
}

/** The body of the answer to one `git-upload-pack` request. What a client did wrong is said in it, as git expects. */
export async function* uploadPack(gitDir: string, reader: ByteReader): AsyncGenerator<Buffer> {
  const objects = new ObjectStore(gitDir);
  let isStarted = false;
  try {
    const request = await readRequest(reader);
    if (request.wants.length === 0) return;
    for await (const chunk of answer(gitDir, objects, request)) {
      isStarted = true;
      yield chunk;
    }
  } catch (error) {
    if (!(error instanceof ProtocolError) || isStarted) throw error;
    yield pkt(`ERR ${error.message}`);
  } finally {
    await objects.close();
  }
}

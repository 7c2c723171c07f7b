/** The first answer of both services without host git: which refs there are, and what this server can do. */
import { withObjects } from './object-store.ts';
import type { ObjectStore } from './object-store.ts';
import { flushPkt, pkt, zeroOid } from './pkt-line.ts';
import { headRef, readRefs } from './refs.ts';
import { peeledOid } from './wanted-objects.ts';

export type Service = 'git-upload-pack' | 'git-receive-pack';

/** No `shallow`: a client that asks for a depth is told so by its own git. */
const uploadCapabilities = 'multi_ack_detailed side-band-64k ofs-delta no-progress allow-tip-sha1-in-want allow-reachable-sha1-in-want';
/** `no-thin` keeps clients from sending deltas against objects that the pack does not hold. */
const receiveCapabilities = 'report-status delete-refs side-band-64k quiet atomic ofs-delta no-thin';
const common = 'object-format=sha1 agent=slipway';

async function uploadLines(objects: ObjectStore, refs: ReadonlyMap<string, string>, head: string | undefined): Promise<string[]> {
  const lines: string[] = [];
  const headOid = refs.get(head ?? '');
  if (headOid !== undefined) lines.push(`${headOid} HEAD`);
  for (const [name, oid] of refs) {
    lines.push(`${oid} ${name}`);
    if (!name.startsWith('refs/tags/')) continue;
    const target = await peeledOid(objects, oid);
    if (target !== oid) lines.push(`${target} ${name}^{}`);
  }
  return lines;
}

/** `version` is what the client asked for in Git-Protocol; 2 is answered with 0, as the protocol allows. */
export async function advertisement(gitDir: string, service: Service, version: number): Promise<Buffer> {
  const refs = await readRefs(gitDir);
  const head = await headRef(gitDir);
  const isUpload = service === 'git-upload-pack';
  const lines = isUpload
    ? await withObjects(gitDir, (objects) => uploadLines(objects, refs, head))
    : [...refs].map(([name, oid]) => `${oid} ${name}`);
  const capabilities = isUpload
    ? `${uploadCapabilities}${head === undefined ? '' : ` symref=HEAD:${head}`} ${common}`
    : `${receiveCapabilities} ${common}`;
  const [first = `${zeroOid} capabilities^{}`, ...others] = lines;
  return Buffer.concat([
    pkt(`# service=${service}\n`),
    flushPkt,
    ...(version === 1 ? [pkt('version 1\n')] : []),
    pkt(`${first}\0${capabilities}\n`),
    ...others.map((line) => pkt(`${line}\n`)),
    flushPkt,
  ]);
}

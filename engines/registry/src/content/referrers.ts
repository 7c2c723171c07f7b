// `referrers`: the manifests that name a given one as their subject (signatures, bills of materials), as an index.
import { selectReferrers, type ReferrerRow } from './content.sql.ts';
import type { Call, RegistryContext, Routes } from '../context.ts';
import { isDigest, requireDigest } from '../grammar.ts';
import { OCI_INDEX } from './manifest-document.ts';
import { replyJson } from '../reply.ts';

/** Many clients read the first page only, so it is large. */
const PAGE = 1000;

export function referrerRoutes(context: RegistryContext): Routes {
  return { GET: { action: 'pull', run: (call) => list(context, call) } };
}

async function list({ pool }: RegistryContext, { repository, reference, query, response }: Call): Promise<void> {
  const subject = requireDigest(reference);
  const last = query.get('last') ?? '';
  // A type with a control character matches nothing, and PostgreSQL would refuse it.
  const artifactType = query.get('artifactType')?.replace(/[^\x21-\x7e]/g, '?') || null;
  const filter = { artifactType, last: isDigest(last) ? last : '', limit: PAGE + 1 };
  const rows = await selectReferrers(pool, repository, subject, filter);
  const page = rows.slice(0, PAGE);
  const next = new URLSearchParams({ last: page.at(-1)?.digest ?? '', ...(artifactType ? { artifactType } : {}) });
  const headers = {
    'Content-Type': OCI_INDEX,
    ...(artifactType ? { 'OCI-Filters-Applied': 'artifactType' } : {}),
    ...(rows.length > PAGE ? { Link: `</v2/${repository}/referrers/${subject}?${next.toString()}>; rel="next"` } : {}),
  };
  replyJson(response, 200, { schemaVersion: 2, mediaType: OCI_INDEX, manifests: page.map(toDescriptor) }, headers);
}

function toDescriptor(row: ReferrerRow): Record<string, unknown> {
  return {
    mediaType: row.mediaType,
    digest: row.digest,
    size: Number(row.sizeBytes),
    ...(row.artifactType ? { artifactType: row.artifactType } : {}),
    ...(row.annotations ? { annotations: JSON.parse(row.annotations) as unknown } : {}),
  };
}

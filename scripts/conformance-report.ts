/** The conformance program's settings, in the variables of each of its releases, and what it reports, as JUnit's XML. */

export interface ConformanceTarget {
  readonly host: string;
  readonly project: string;
  /** Name of the repositories. It differs for each program, so that their repositories do not collide. */
  readonly name: string;
  readonly username: string;
  readonly secret: string;
  /** Directory for the report. */
  readonly work: string;
}

const legacyNames = ['TEST_PULL', 'TEST_PUSH', 'TEST_CONTENT_DISCOVERY', 'TEST_CONTENT_MANAGEMENT'];
/** Off unless asked for. */
const optionalNames = [
  'API_BLOBS_DIGEST_HEADER',
  'API_BLOBS_MOUNT_ANONYMOUS',
  'API_BLOBS_UPLOAD_CANCEL',
  'API_MANIFESTS_DIGEST_HEADER',
  'API_MANIFESTS_TAG_PARAM',
  'DATA_SPARSE',
];

/** Release 1.1.1 reads the first half, what came after it the second. */
export const conformanceEnvironment = ({ host, project, name, username, secret, work }: ConformanceTarget): Record<string, string> => ({
  OCI_USERNAME: username,
  OCI_PASSWORD: secret,

  OCI_ROOT_URL: `http://${host}`,
  OCI_NAMESPACE: `${project}/${name}`,
  OCI_CROSSMOUNT_NAMESPACE: `${project}/${name}-other`,
  OCI_REPORT_DIR: work,
  // Blobs are deleted while manifests still need them.
  OCI_DELETE_MANIFEST_BEFORE_BLOBS: '0',
  OCI_AUTOMATIC_CROSSMOUNT: '1',
  ...Object.fromEntries(legacyNames.map((option) => [`OCI_${option}`, '1'])),

  OCI_REGISTRY: host,
  OCI_TLS: 'disabled',
  OCI_REPO1: `${project}/${name}`,
  OCI_REPO2: `${project}/${name}-other`,
  OCI_RESULTS_DIR: work,
  ...Object.fromEntries(optionalNames.map((option) => [`OCI_${option}`, 'true'])),
});

export interface Outcome {
  readonly name: string;
  readonly state: 'passed' | 'failed' | 'skipped';
  readonly message: string;
}

const plain = (text: string): string =>
  text
    .replaceAll(/&(?:quot|#34);/g, '"')
    .replaceAll(/&(?:apos|#39);/g, "'")
    .replaceAll(/&#x[AD9];/g, ' ')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');

const attribute = (tag: string, name: string): string => plain(new RegExp(`\\b${name}="([^"]*)"`).exec(tag)?.[1] ?? '');
const counted = (tag: string, name: string): number => Number(attribute(tag, name) || 0);

/** Release 1.1.1 puts an element into a case, later ones an attribute onto it; an unknown word is a failure. */
const stateOf = (attributes: string, body: string): Outcome['state'] => {
  const status = attribute(attributes, 'status');
  if (/<(?:failure|error)\b/.test(body)) return 'failed';
  if (/<skipped\b/.test(body) || ['skipped', 'pending', 'disabled'].includes(status)) return 'skipped';
  return status === '' || status === 'passed' ? 'passed' : 'failed';
};

/** The cases of a report; the program's own frame around them does not count. Throws when the report counts failures that no case has. */
export const readOutcomes = (junit: string): Outcome[] => {
  const cases = [...junit.matchAll(/<testcase\b([^>]*?)(?:\/>|>([\s\S]*?)<\/testcase>)/g)].map(([, attributes = '', body = '']) => {
    const said =
      attribute(/<(?:failure|error)\b[^>]*/.exec(body)?.[0] ?? '', 'message') || /<system-out>([\s\S]*?)<\/system-out>/.exec(body)?.[1];
    const message = plain(said ?? '')
      .replaceAll(/\s+/g, ' ')
      .slice(0, 200);
    return { name: attribute(attributes, 'name'), state: stateOf(attributes, body), message };
  });
  const top = /<testsuites\b[^>]*/.exec(junit)?.[0] ?? '';
  const isCounted = cases.some(({ state }) => state === 'failed') === counted(top, 'failures') + counted(top, 'errors') > 0;
  if (!isCounted) throw new Error(`The report counts other failures than its cases: ${top}`);
  return cases.filter(({ name }) => !/^\[(?:Synchronized)?(?:Before|After|ReportBefore|ReportAfter)Suite/.test(name));
};

/**
 * Tests that fail because the registry refuses an image on purpose, see docs/guide/container-registry.md. The image is one of the `sparse`
 * images, and its layer was never pushed. Every test of that image fails once. The tests of the index that lacks some of its images have
 * the same names and must not fail.
 */
const refusedOnPurpose = ['push/manifest-by-digest', 'push/manifest-by-tag', 'tag-list', 'head/manifest-head-by-tag']
  .concat('head/manifest-head-by-digest', 'pull/manifest-by-tag', 'pull/manifest-by-digest')
  .map((name) => `OCI Conformance Test/sparse/${name}`);

/** The failures, parted. Each name that is refused on purpose counts once. */
export const judge = (outcomes: readonly Outcome[]): { readonly expected: Outcome[]; readonly unexpected: Outcome[] } => {
  const left = new Set(refusedOnPurpose);
  const failed = outcomes.filter(({ state }) => state === 'failed');
  const expected = failed.filter(({ name }) => left.delete(name));
  return { expected, unexpected: failed.filter((outcome) => !expected.includes(outcome)) };
};

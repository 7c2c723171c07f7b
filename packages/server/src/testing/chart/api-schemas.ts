/** Writes the schemas of an API server for kubeconform, one file for each kind. Its usual schemas come from the internet. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

interface Definition {
  readonly properties?: object;
  readonly 'x-kubernetes-group-version-kind'?: readonly { readonly group: string; readonly version: string; readonly kind: string }[];
}
const INT_OR_STRING = 'io.k8s.apimachinery.pkg.util.intstr.IntOrString';

/** `document` is what the API server answers at `/openapi/v2`. Returns the pattern of the files' names. Unknown fields are errors. */
export async function writeSchemas(document: string, folder: string): Promise<string> {
  const { definitions } = JSON.parse(document) as { definitions: Record<string, Definition> };
  const strict = Object.fromEntries(
    Object.entries(definitions).map(([name, schema]) => [name, schema.properties ? { additionalProperties: false, ...schema } : schema]),
  );
  const text = JSON.stringify({ definitions: { ...strict, [INT_OR_STRING]: { type: ['string', 'integer'] } } });
  await mkdir(folder);
  await writeFile(join(folder, 'all.json'), text.replaceAll('#/definitions/', 'all.json#/definitions/'));
  for (const [name, { 'x-kubernetes-group-version-kind': kinds = [] }] of Object.entries(definitions))
    for (const { group, kind, version } of kinds) {
      const file = [kind, group.split('.')[0], version].filter(Boolean).join('-').toLowerCase();
      await writeFile(join(folder, `${file}.json`), JSON.stringify({ $ref: `all.json#/definitions/${name}` }));
    }
  return join(folder, '{{.ResourceKind}}{{.KindSuffix}}.json');
}

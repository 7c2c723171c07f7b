/** Programs that ask for a flag, ready to copy. */
import type { FlagKey } from '@slipway/contract/flag/flag-key.ts';

export const languages = ['JavaScript', 'React', 'Python', 'curl'] as const;
export type Language = (typeof languages)[number];

export const snippetOf = (language: Language, { clientKey, decryptionKey, mode }: FlagKey, origin: string): string => {
  const js = [
    `  apiHost: '${origin}',`,
    `  clientKey: '${clientKey}',`,
    ...(decryptionKey === null ? [] : [`  decryptionKey: '${decryptionKey}',`]),
    ...(mode === 'REMOTE' ? ['  remoteEval: true,'] : []),
    "  attributes: { id: 'mei-ling', teams: ['cargo-safety'] },",
  ].join('\n');
  const start = `const growthbook = new GrowthBook({\n${js}\n});\nawait growthbook.init({ streaming: true });`;
  if (language === 'JavaScript')
    return `import { GrowthBook } from '@growthbook/growthbook';\n\n${start}\nconsole.log(growthbook.isOn('my-flag'));`;
  if (language === 'React')
    return `import { GrowthBook, GrowthBookProvider, useFeatureIsOn } from '@growthbook/growthbook-react';\n\n${start}\n\nfunction Page() {\n  return useFeatureIsOn('my-flag') ? <NewPage /> : <OldPage />;\n}\nroot.render(<GrowthBookProvider growthbook={growthbook}><Page /></GrowthBookProvider>);`;
  if (language === 'Python')
    return mode === 'REMOTE'
      ? '# The Python SDK has no remote evaluation. Use a plain or encrypted key.'
      : `from growthbook import GrowthBook\n\ngb = GrowthBook(\n    api_host="${origin}",\n    client_key="${clientKey}",${decryptionKey === null ? '' : `\n    decryption_key="${decryptionKey}",`}\n    attributes={"id": "mei-ling", "teams": ["cargo-safety"]},\n)\ngb.load_features()\nprint(gb.is_on("my-flag"))`;
  return mode === 'REMOTE'
    ? `curl -X POST '${origin}/api/eval/${clientKey}' -H 'content-type: application/json' \\\n  -d '{"attributes": {"id": "mei-ling"}}'`
    : `curl '${origin}/api/features/${clientKey}'`;
};

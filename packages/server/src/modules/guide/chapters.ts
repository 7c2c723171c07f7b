/** The guide's table of contents. Each page is a file `{slug}.md`, and `index` is the first page. */
import { readdirSync } from 'node:fs';

export interface Chapter {
  readonly heading: string;
  readonly slugs: readonly string[];
}

export const chapters: readonly Chapter[] = [
  { heading: 'Start here', slugs: ['index', 'apps-and-teams', 'catalog'] },
  {
    heading: 'Services',
    slugs: [
      'services-and-revisions',
      'settings',
      'copy-and-yaml',
      'promote-an-app',
      'how-services-run',
      'logs-and-metrics',
      'calling-services',
      'monitoring',
      'secrets',
      'pipelines',
    ],
  },
  { heading: 'Databases', slugs: ['databases', 'database-backups'] },
  { heading: 'Event streaming', slugs: ['event-streaming', 'accounts', 'changing-schemas', 'schema-registry'] },
  {
    heading: 'Your tools',
    slugs: [
      'repositories-and-push',
      'container-registry',
      'scanning',
      'robot-accounts',
      'webhooks',
      'feature-flags',
      'notifications',
      'api-and-tokens',
    ],
  },
  { heading: 'Reference', slugs: ['roles-and-rights', 'kubernetes', 'slipway-in-a-cluster', 'troubleshooting'] },
  // The console's footer links to these pages.
  { heading: 'About', slugs: ['support', 'contact', 'request-a-feature', 'release-notes', 'roadmap', 'github', 'legal'] },
];

/** Adds a chapter with the pages that no chapter lists, which areas contribute. */
export const chaptersIn = (directory: string): readonly Chapter[] => {
  const listed = new Set(chapters.flatMap(({ slugs }) => slugs));
  const more = readdirSync(directory)
    .filter((file) => file.endsWith('.md'))
    .map((file) => file.slice(0, -'.md'.length))
    .filter((slug) => !listed.has(slug))
    .toSorted();
  return more.length === 0 ? chapters : [...chapters.slice(0, -1), { heading: 'More', slugs: more }, ...chapters.slice(-1)];
};

/** `pipelines` → `/docs/pipelines/`. */
export const pathOfPage = (slug: string): string => (slug === 'index' ? '/docs/' : `/docs/${slug}/`);

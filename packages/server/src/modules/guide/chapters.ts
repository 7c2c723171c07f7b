/** The guide's table of contents: a page is a file `{slug}.md`, and `index` is the guide's first page. */

export interface Chapter {
  readonly heading: string;
  readonly slugs: readonly string[];
}

export const chapters: readonly Chapter[] = [
  { heading: 'Begin', slugs: ['index', 'apps-and-teams'] },
  {
    heading: 'Services',
    slugs: [
      'services-and-revisions',
      'settings',
      'copy-and-yaml',
      'how-services-run',
      'logs-and-metrics',
      'calling-services',
      'secrets',
      'pipelines',
    ],
  },
  { heading: 'Your tools', slugs: ['repositories-and-push', 'container-registry', 'api-and-tokens'] },
  { heading: 'Look up', slugs: ['roles-and-rights', 'troubleshooting'] },
  // The console's footer leads to these.
  { heading: 'About', slugs: ['support', 'contact', 'request-a-feature', 'release-notes', 'roadmap', 'github', 'legal'] },
];

/** `pipelines` → `/docs/pipelines/`. */
export const pathOfPage = (slug: string): string => (slug === 'index' ? '/docs/' : `/docs/${slug}/`);

/** Kinds of requests with their labels. An area that adds a kind adds its label here. */
export const requestKindLabels = {
  TOPIC_ACCESS: 'Topic access',
  PRODUCTION_CHANGE: 'Production change',
  CATALOG_ONBOARD: 'Onboarding',
  CATALOG_UPDATE: 'Change',
  CATALOG_OWNER_CHANGE: 'Owners',
  CATALOG_PLATFORM_CHANGE: 'Platform',
  CATALOG_DECOMMISSION: 'Decommissioning',
  CATALOG_DATA_ISSUE: 'Data issue',
} as const satisfies Readonly<Record<string, string>>;

/** Returns the label of a kind. Returns the kind itself if this version does not know it. */
export const requestKindLabel = (kind: string): string => new Map<string, string>(Object.entries(requestKindLabels)).get(kind) ?? kind;

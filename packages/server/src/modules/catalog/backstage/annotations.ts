/** Annotations of exported entities, which an import reads again. */
export const annotations = {
  id: 'slipway.dev/catalog-id',
  code: 'slipway.dev/code',
  type: 'slipway.dev/type',
  owners: 'slipway.dev/owners',
} as const;

/** Short names of artifact types. */

export type ReferrerSort = 'signature' | 'provenance' | 'sbom' | 'other';

const known: readonly { pattern: RegExp; sort: ReferrerSort; label: string }[] = [
  {
    pattern: /cosign\.(artifact\.sig|simplesigning)|sigstore\.bundle|notary\.signature|notaryproject/i,
    sort: 'signature',
    label: 'Signature',
  },
  { pattern: /in-toto|slsa|provenance/i, sort: 'provenance', label: 'Provenance' },
  { pattern: /cyclonedx/i, sort: 'sbom', label: 'SBOM, CycloneDX' },
  { pattern: /spdx/i, sort: 'sbom', label: 'SBOM, SPDX' },
];

export const referrerName = (artifactType: string): { sort: ReferrerSort; label: string } =>
  known.find(({ pattern }) => pattern.test(artifactType)) ?? { sort: 'other', label: 'Attached file' };

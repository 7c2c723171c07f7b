/** Advisories for tests, in the OSV format. */

export interface AdvisoryOf {
  readonly id: string;
  readonly name: string;
  readonly fixed: string;
  readonly ecosystem?: string;
  readonly aliases?: readonly string[];
  readonly vector?: string;
  readonly withdrawn?: string;
  readonly summary?: string;
}
export const high = 'CVSS:3.1/AV:N/AC:L/PR:H/UI:N/S:U/C:H/I:H/A:H';
export const critical = 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H';
export const low = 'CVSS:3.1/AV:L/AC:H/PR:H/UI:R/S:U/C:L/I:N/A:N';

export const advisoryOf = ({
  id,
  name,
  fixed,
  ecosystem = 'npm',
  aliases = [],
  vector,
  withdrawn,
  summary = `About ${name}`,
}: AdvisoryOf) => ({
  schema_version: '1.7.0',
  id,
  modified: '2026-01-02T03:04:05Z',
  published: '2026-01-01T00:00:00Z',
  ...(withdrawn === undefined ? {} : { withdrawn }),
  aliases,
  summary,
  ...(vector === undefined ? {} : { severity: [{ type: 'CVSS_V3', score: vector }] }),
  affected: [{ package: { ecosystem, name }, ranges: [{ type: 'SEMVER', events: [{ introduced: '0' }, { fixed }] }] }],
});

/** Compares an image's packages with the imported advisories, and reports the packages that it could not compare. */
import { scanNote, type ScanNote } from '@slipway/contract/registry/scan-notes.ts';
import type { AdvisoriesUsed } from '@slipway/contract/registry/scan.ts';
import type { AdvisorySet } from '@slipway/contract/registry/advisory.ts';
import { severities, Severity } from '@slipway/contract/registry/severity.ts';
import type { Db } from '#db/database.ts';
import type { FoundPackage } from '#ports/scanner.ts';
import { advisoriesFor, advisorySets, toUsed, type KnownAdvisory } from './advisories.sql.ts';
import { verdictFor } from './affected.ts';
import type { Finding } from './finding.ts';
import { advisoryName } from './osv.ts';

export interface Matched {
  readonly findings: readonly Finding[];
  readonly notes: readonly ScanNote[];
  readonly advisories: readonly AdvisoriesUsed[];
}

/** Packages per query. */
const BATCH = 1000;
const FINDINGS = 20_000;
const NOTES = 10;

const sought = ({ ecosystem, name, version, source }: FoundPackage): { ecosystem: string; name: string; version: string } => ({
  ecosystem,
  name: advisoryName(ecosystem, source?.name ?? name),
  version: source?.version ?? version,
});
const keyOf = ({ ecosystem, name }: { ecosystem: string; name: string }): string => `${ecosystem}\n${name}`;

const isCve = (id: string): boolean => id.startsWith('CVE-');

const findingOf = (found: FoundPackage, { id, entry }: KnownAdvisory, fixedIn: string | null): Finding => ({
  id: entry.aliases.find(isCve) ?? id,
  aliases: [...entry.aliases],
  severity: Severity.parse(entry.severity),
  score: entry.score,
  vector: entry.vector,
  title: entry.title,
  url: entry.url,
  ecosystem: found.ecosystem,
  package: found.name,
  installed: found.version,
  fixedIn,
  path: found.path,
  layer: found.layer,
  platforms: [...found.platforms],
});

const rank = ({ severity }: Finding): number => severities.indexOf(severity);
const byWorst = (a: Finding, b: Finding): number => rank(a) - rank(b) || (b.score ?? 0) - (a.score ?? 0) || (a.id < b.id ? -1 : 1);

/** Merges findings of several databases about one vulnerability. Keeps the worst finding and any known fix. */
const joined = (findings: readonly Finding[]): Finding[] =>
  [...Map.groupBy(findings, ({ id }) => id).values()].flatMap((same) => {
    const [worst] = same.toSorted(byWorst);
    if (!worst) return [];
    const fixedIn = same.find((one) => one.fixedIn !== null)?.fixedIn ?? null;
    return [{ ...worst, fixedIn, aliases: [...new Set(same.flatMap(({ aliases }) => aliases))] }];
  });

interface Comparison {
  readonly findings: Finding[];
  readonly unreadable: { readonly name: string; readonly version: string }[];
}

const compare = (found: FoundPackage, known: readonly KnownAdvisory[], { findings, unreadable }: Comparison): void => {
  const { ecosystem, version } = sought(found);
  const own: Finding[] = [];
  let isUnknown = false;
  for (const advisory of known) {
    const verdict = verdictFor(ecosystem, version, advisory.entry);
    if (verdict.is === 'affected') own.push(findingOf(found, advisory, verdict.fixedIn));
    isUnknown ||= verdict.is === 'unknown';
  }
  findings.push(...joined(own));
  if (isUnknown) unreadable.push({ name: found.name, version });
};

/** Returns notes about packages without real advisories. Demo advisories alone do not count as coverage. */
const coverageNotes = (packages: readonly FoundPackage[], sets: readonly AdvisorySet[]): ScanNote[] => {
  if (packages.length === 0) return [scanNote('NoPackages')];
  if (sets.length === 0) return [scanNote('NoAdvisories')];
  const real = new Set(sets.filter(({ isDemo }) => !isDemo).flatMap(({ ecosystems }) => ecosystems.map(({ ecosystem }) => ecosystem)));
  if (real.size === 0) return [scanNote('DemoAdvisories')];
  return [...Map.groupBy(packages, ({ ecosystem }) => ecosystem)]
    .filter(([ecosystem]) => !real.has(ecosystem))
    .map(([ecosystem, own]) => scanNote('EcosystemUncovered', { ecosystem, packages: String(own.length) }));
};

/** Returns the sets that cover an ecosystem of the image. A demo set counts only for ecosystems that no real set covers. */
const neededSets = (packages: readonly FoundPackage[], sets: readonly AdvisorySet[]): AdvisorySet[] => {
  const knows = (set: AdvisorySet, ecosystem: string): boolean => set.ecosystems.some((one) => one.ecosystem === ecosystem);
  const needed = [...new Set(packages.map(({ ecosystem }) => ecosystem))];
  return sets.filter((set) =>
    needed.some((ecosystem) => knows(set, ecosystem) && (!set.isDemo || !sets.some((other) => !other.isDemo && knows(other, ecosystem)))),
  );
};

export const matchPackages = async (db: Db, packages: readonly FoundPackage[]): Promise<Matched> => {
  const sets = await advisorySets(db);
  const comparison: Comparison = { findings: [], unreadable: [] };
  const byName = [...Map.groupBy(packages, (one) => keyOf(sought(one))).values()];
  for (let at = 0; at < byName.length; at += BATCH) {
    const batch = byName.slice(at, at + BATCH);
    const names = batch.flatMap(([first]) => (first ? [sought(first)] : []));
    const known = Map.groupBy(await advisoriesFor(db, names), (row) => keyOf({ ecosystem: row.ecosystem, name: row.package }));
    for (const found of batch.flat()) compare(found, known.get(keyOf(sought(found))) ?? [], comparison);
  }
  const { findings, unreadable } = comparison;
  const notes = [
    ...coverageNotes(packages, sets),
    ...(findings.length > FINDINGS ? [scanNote('TooManyFindings', { kept: String(FINDINGS) })] : []),
    ...unreadable.slice(0, NOTES).map(({ name, version }) => scanNote('VersionUnreadable', { name, version })),
  ];
  return { findings: findings.toSorted(byWorst).slice(0, FINDINGS), notes, advisories: neededSets(packages, sets).map(toUsed) };
};

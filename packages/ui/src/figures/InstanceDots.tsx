// Instances as berths: full, full with the new revision, starting (hatched), empty (dashed).
import css from './InstanceDots.module.css';

export type Berth = 'ready' | 'new' | 'starting' | 'empty';

const WORDS: Record<Berth, string> = { ready: 'ready', new: 'of the new revision ready', starting: 'starting', empty: 'empty' };

export function berthWords(berths: Berth[]): string {
  const kinds: Berth[] = ['ready', 'new', 'starting', 'empty'];
  const counts = kinds.map((kind) => [kind, berths.filter((berth) => berth === kind).length] as const).filter(([, count]) => count > 0);
  return counts.length === 0 ? 'No instances' : counts.map(([kind, count]) => `${count} ${WORDS[kind]}`).join(', ');
}

export function InstanceDots({ berths }: { berths: Berth[] }) {
  return (
    <span className={css.berths} role="img" aria-label={berthWords(berths)}>
      {berths.map((berth, index) => (
        <i key={index} data-berth={berth} data-first={(berth === 'new' && berths[index - 1] === 'ready') || undefined} />
      ))}
    </span>
  );
}

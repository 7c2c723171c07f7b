/** Alternative forms on separate pages, with what the current one creates. */
import { SegmentedLinks } from '@slipway/ui/form/Segmented.tsx';

export interface Way {
  label: string;
  href: string;
  isCurrent: boolean;
  /** Describes what the form creates. */
  text: string;
}

export const Ways = ({ label, ways }: { label: string; ways: readonly Way[] }) => (
  <div className="stack stack-8">
    <div className="row">
      <SegmentedLinks label={label} items={ways.map(({ label, href, isCurrent }) => ({ label, href, isCurrent }))} />
    </div>
    <p className="quiet dense">{ways.find(({ isCurrent }) => isCurrent)?.text}</p>
  </div>
);

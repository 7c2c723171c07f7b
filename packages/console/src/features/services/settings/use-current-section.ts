/** Returns the section in view: the last one whose title has passed the top edge. */
import { settingsSectionIds, type SettingsSection } from '@slipway/contract/pipeline/service-change.ts';
import { useEffect, useState } from 'react';
import { sectionId } from './sections/Section.tsx';

/** Just below the top bar, where an anchor stops. */
const edge = 120;

const find = (): SettingsSection => {
  const isAtEnd = innerHeight + scrollY >= document.documentElement.scrollHeight - 2;
  const passed = settingsSectionIds.filter(
    (section) => (document.getElementById(sectionId(section))?.getBoundingClientRect().top ?? Infinity) < edge,
  );
  // The last sections are too short to reach the edge.
  return (isAtEnd && scrollY > 0 ? settingsSectionIds.at(-1) : passed.at(-1)) ?? 'general';
};

export const useCurrentSection = (): SettingsSection => {
  const [current, setCurrent] = useState<SettingsSection>('general');
  useEffect(() => {
    let frame = 0;
    const look = (): void => {
      frame ||= requestAnimationFrame(() => {
        frame = 0;
        setCurrent(find());
      });
    };
    look();
    addEventListener('scroll', look, { passive: true });
    return () => {
      removeEventListener('scroll', look);
      cancelAnimationFrame(frame);
    };
  }, []);
  return current;
};

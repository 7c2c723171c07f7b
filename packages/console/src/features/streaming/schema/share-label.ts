/** Formats a share of messages. A nonzero share is never 0 %, and an incomplete share never 100 %. */
export const shareLabel = (part: number, whole: number): string => {
  if (part === 0) return '–';
  if (part === whole) return '100 %';
  const percent = Math.round((part / whole) * 100);
  if (percent === 0) return 'under 1 %';
  return percent === 100 ? 'over 99 %' : `${percent} %`;
};

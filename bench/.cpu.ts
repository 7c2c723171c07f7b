import fs from 'node:fs';
export function pgCpu(dir: string): number {
  const pid = Number(fs.readFileSync(`${dir}/postmaster.pid`, 'utf8').split('\n')[0]);
  let ticks = 0;
  for (const p of fs.readdirSync('/proc')) {
    if (!/^\d+$/.test(p)) continue;
    try {
      const f = fs.readFileSync(`/proc/${p}/stat`, 'utf8');
      const a = f.slice(f.lastIndexOf(')') + 2).split(' ');
      if (Number(p) === pid) ticks += Number(a[11]) + Number(a[12]) + Number(a[13]) + Number(a[14]);
      else if (Number(a[1]) === pid) ticks += Number(a[11]) + Number(a[12]);
    } catch {}
  }
  return ticks * 10;
}
export const nodeCpu = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

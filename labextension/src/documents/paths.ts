/**
 * Paths in JupyterLab's notation: "model.pt2", "dir/model.pt2", with a drive "RTC:model.pt2" and
 * "RTC:dir/model.pt2".
 */

export const nameOf = (path: string): string => path.slice(startOfName(path));

/** Also a path: "", "dir", "RTC:", "RTC:dir". */
export const folderOf = (path: string): string => path.slice(0, startOfName(path)).replace(/\/$/, "");

const startOfName = (path: string): number =>
  (path.includes("/") ? path.lastIndexOf("/") : path.indexOf(":")) + 1;

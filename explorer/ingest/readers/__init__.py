"""Files as text with pages and sections.

`formats` says which module reads which files. Of RDF `rdf_files` is the reader: `rdf_lookup` holds what a file says,
and `rdf_facts` puts it into words and writes these as text. A long text or file of RDF is read a stretch at a
time; other formats are held whole, as what a part of them means may stand elsewhere in the file.
"""

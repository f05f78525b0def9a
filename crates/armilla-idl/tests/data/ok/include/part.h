typedef long Part;
